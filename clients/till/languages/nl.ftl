# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Kassa
tabs-label = Kassa
tab-redeem = Verzilveren
tab-sell = Verkopen
tab-today = Vandaag
# Read aloud after the number beside "Today".
tab-open-calls = nog niet bekend
frame-back = Terug
frame-online = Online
frame-offline = Offline
dismiss = Verbergen
cancel = Annuleren

redeem-title = Cadeaukaart verzilveren
redeem-rest = Nog te betalen met een andere kaart: { $amount }
redeem-camera = Scannen met de camera
redeem-code = Kaartcode
redeem-code-hint = Een handscanner werkt altijd.
redeem-code-missing = Voer de code van de kaart in of scan hem.
redeem-find = Kaart zoeken
redeem-finding = Kaart wordt opgezocht
