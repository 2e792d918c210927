# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Kasse
tabs-label = Kasse
tab-redeem = Løs inn
tab-sell = Selg
tab-today = I dag
# Read aloud after the number beside "Today".
tab-open-calls = ikke kjent ennå
frame-back = Tilbake
frame-online = På nett
frame-offline = Frakoblet
dismiss = Skjul
cancel = Avbryt

redeem-title = Løs inn et gavekort
redeem-rest = Gjenstår å betale med et annet kort: { $amount }
redeem-camera = Skann med kameraet
redeem-code = Kortkode
redeem-code-hint = En håndskanner virker når som helst.
redeem-code-missing = Skriv inn koden på kortet, eller skann den.
redeem-find = Finn kortet
redeem-finding = Slår opp kortet
