"use strict";
// Shows a notification that the service sent to this browser, and opens its page when it is tapped (games/webhooks/browsers.py).

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, renotify: Boolean(tag), icon: new URL("icons/192.png", self.location).href, data: url }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data));
});
