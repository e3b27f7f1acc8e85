let backupPath = "/srv/backup/addressbook_alice.sqlite"
