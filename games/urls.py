"""Addresses of the pages of this app."""

from django.urls import URLPattern, path

from games.views import closures, desk, game, home, honesty, letters, login, opening, phase, proof

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("health/", home.health, name="health"),
    path("cards/<slug:game>/<slug:name>/", home.card, name="card"),
    path("login/", login.login, name="login"),
    path("login/code/", login.login_code, name="login-code"),
    path("login/<str:token>/", login.login_link, name="login-link"),
    path("logout/", login.logout, name="logout"),
    path("me/", login.me, name="me"),
    path("games/new/", opening.game_new, name="game-new"),
    path("invitation/<str:token>/", opening.invitation, name="invitation"),
    path("games/<int:pk>/", game.game, name="game"),
    path("games/<int:pk>/record.json", proof.record, name="record"),
    path("games/<int:pk>/honesty/", honesty.of_game, name="game-honesty"),
    path("honesty/", honesty.everywhere, name="honesty"),
    path("checker.pyz", proof.checker, name="checker"),
    path("games/<int:pk>/start/", desk.start, name="game-start"),
    path("games/<int:pk>/seats/<int:seat>/invite/", desk.invite, name="seat-invite"),
    path("games/<int:pk>/seats/<int:seat>/service/", desk.seat_service, name="seat-service"),
    path("games/<int:pk>/invitations/<int:invitation>/withdraw/", desk.withdraw, name="invitation-withdraw"),
    path("games/<int:pk>/phases/<int:number>/", phase.phase, name="phase"),
    path("games/<int:pk>/phases/<int:number>/proof/", proof.proof_page, name="proof"),
    path("games/<int:pk>/phases/<int:number>/extend/", desk.extend, name="phase-extend"),
    path("games/<int:pk>/phases/<int:number>/lift/", desk.lift, name="phase-lift"),
    path("games/<int:pk>/phases/<int:number>/figure/", desk.figure, name="phase-figure"),
    path("games/<int:pk>/phases/<int:number>/rolls/", desk.rolls, name="phase-rolls"),
    path("closures/", closures.closures, name="closures"),
    path("closures/<int:closure>/remove/", closures.remove, name="closure-remove"),
    path("letters/", letters.letters, name="letters"),
    path("letters/<int:pk>/", letters.letter, name="letter"),
]
