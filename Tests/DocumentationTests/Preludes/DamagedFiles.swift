let rescuePath = "/srv/rescue/addressbook.sqlite"
