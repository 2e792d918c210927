# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Kasse
tabs-label = Kasse
tab-redeem = Einlösen
tab-sell = Verkaufen
tab-today = Heute
# Read aloud after the number beside "Today".
tab-open-calls = noch nicht bekannt
frame-back = Zurück
frame-online = Online
frame-offline = Offline
dismiss = Ausblenden
cancel = Abbrechen

redeem-title = Geschenkkarte einlösen
redeem-rest = Mit einer anderen Karte noch zu zahlen: { $amount }
redeem-camera = Mit der Kamera scannen
redeem-code = Kartencode
redeem-code-hint = Ein Handscanner funktioniert jederzeit.
redeem-code-missing = Geben Sie den Code der Karte ein oder scannen Sie ihn.
redeem-find = Karte suchen
redeem-finding = Karte wird gesucht
