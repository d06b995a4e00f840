"""How Django's admin writes dates: with the zone, as all our pages do."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i T"
