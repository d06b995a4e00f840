"""URL patterns of the order page, orders ahead, the adopt button and receipts."""

from django.urls import URLPattern, path

from orders.web import adopting, ahead, receipt, views

urlpatterns: list[URLPattern] = [
    path("games/<int:pk>/orders/<int:seat>/", views.orders, name="orders"),
    path("games/<int:pk>/orders/<int:seat>/point/", views.point, name="orders-point"),
    path("games/<int:pk>/orders/<int:seat>/ahead/", ahead.orders_ahead, name="orders-ahead"),
    path("games/<int:pk>/orders/<int:seat>/ahead/point/", ahead.point, name="orders-ahead-point"),
    path("games/<int:pk>/orders/<int:seat>/adopt/", adopting.adopt, name="orders-adopt"),
    path("games/<int:pk>/submissions/<int:seat>/<int:number>/", receipt.receipt, name="receipt"),
]
