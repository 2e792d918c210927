# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Caisse
tabs-label = Caisse
tab-redeem = Encaisser
tab-sell = Vendre
tab-today = Aujourd’hui
# Read aloud after the number beside "Today".
tab-open-calls = au résultat inconnu
frame-back = Retour
frame-online = En ligne
frame-offline = Hors ligne
dismiss = Masquer
cancel = Annuler

redeem-title = Encaisser une carte cadeau
redeem-rest = Reste à payer avec une autre carte : { $amount }
redeem-camera = Scanner avec l’appareil photo
redeem-code = Code de la carte
redeem-code-hint = Un lecteur portatif fonctionne à tout moment.
redeem-code-missing = Saisissez le code de la carte ou scannez-le.
redeem-find = Chercher la carte
redeem-finding = Recherche de la carte
