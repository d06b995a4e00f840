"use strict";
// Turns on notifications in this browser: asks for permission, subscribes, and sends the subscription by the form.
// Without this file the form stays hidden and the page says what notifications need.

(async () => {
  const form = document.getElementById("notify");
  const told = document.getElementById("notify-told");
  if (!form || !("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return;
  const { key, worker, known } = form.dataset;

  const fingerprint = async (text) => {
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  const name = () => {
    const agent = navigator.userAgent;
    const browser = [["Edg", "Edge"], ["OPR", "Opera"], ["Firefox"], ["Chrome"], ["Safari"]].find(([mark]) => agent.includes(mark));
    const system = [["Android"], ["iPhone"], ["iPad"], ["Windows"], ["Mac OS", "macOS"], ["Linux"]].find(([mark]) => agent.includes(mark));
    return [browser && browser.at(-1), system && `on ${system.at(-1)}`].filter(Boolean).join(" ") || "Browser";
  };

  // The browser wants the server's key as bytes.
  const bytes = Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));

  const registered = await navigator.serviceWorker.getRegistration(worker);
  const standing = registered && (await registered.pushManager.getSubscription());
  if (standing && known.split(" ").includes(await fingerprint(standing.endpoint))) {
    told.textContent = "Notifications are on in this browser.";
    return;
  }
  told.textContent = "";
  form.hidden = false;

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if ((await Notification.requestPermission()) !== "granted") {
      told.textContent = "This browser blocks notifications from this site. Allow them in the browser's settings for this site, then try again.";
      return;
    }
    told.textContent = "One moment…";
    try {
      const registration = await navigator.serviceWorker.register(worker);
      const old = await registration.pushManager.getSubscription();
      if (old) await old.unsubscribe(); // made with another key, or removed on this page
      const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes });
      const { endpoint, keys } = subscription.toJSON();
      Object.entries({ endpoint, ...keys, label: name() }).forEach(([field, value]) => { form.elements[field].value = value; });
      form.submit();
    } catch {
      told.textContent = "The browser's push service does not answer. Try again in a few minutes.";
    }
  });
})();
