# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Kasse
tabs-label = Kasse
tab-redeem = Indløs
tab-sell = Sælg
tab-today = I dag
# Read aloud after the number beside "Today".
tab-open-calls = ikke kendt endnu
frame-back = Tilbage
frame-online = Online
frame-offline = Offline
dismiss = Skjul
cancel = Annuller

redeem-title = Indløs et gavekort
redeem-rest = Mangler at blive betalt med et andet kort: { $amount }
redeem-camera = Scan med kameraet
redeem-code = Kortets kode
redeem-code-hint = En håndscanner virker når som helst.
redeem-code-missing = Indtast kortets kode, eller scan den.
redeem-find = Find kortet
redeem-finding = Slår kortet op
