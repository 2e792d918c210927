# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Kassa
tabs-label = Kassa
tab-redeem = Lös in
tab-sell = Sälj
tab-today = I dag
# Read aloud after the number beside "Today".
tab-open-calls = med okänt utfall
frame-back = Tillbaka
frame-online = Online
frame-offline = Offline
dismiss = Dölj
cancel = Avbryt

redeem-title = Lös in ett presentkort
redeem-rest = Kvar att betala med ett annat kort: { $amount }
redeem-camera = Skanna med kameran
redeem-code = Kortets kod
redeem-code-hint = En handskanner fungerar när som helst.
redeem-code-missing = Ange kortets kod eller skanna den.
redeem-find = Sök kortet
redeem-finding = Söker kortet
