"""Addresses of the pages of this app."""

from django.urls import URLPattern, path

from orders import views

urlpatterns: list[URLPattern] = [
    path("games/<int:pk>/orders/<int:seat>/", views.orders, name="orders"),
    path("games/<int:pk>/orders/<int:seat>/check/", views.check, name="orders-check"),
    path("games/<int:pk>/orders/<int:seat>/add/", views.add, name="orders-add"),
    path("games/<int:pk>/submissions/<int:number>/", views.receipt, name="receipt"),
]
