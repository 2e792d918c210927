# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Kassa
tabs-label = Kassa
tab-redeem = Lunasta
tab-sell = Myy
tab-today = Tänään
# Read aloud after the number beside "Today".
tab-open-calls = ei vielä tiedossa
frame-back = Takaisin
frame-online = Yhteydessä
frame-offline = Ei yhteyttä
dismiss = Piilota
cancel = Peruuta

redeem-title = Lunasta lahjakortti
redeem-rest = Maksettava toisella kortilla: { $amount }
redeem-camera = Lue kameralla
redeem-code = Kortin koodi
redeem-code-hint = Käsilukija toimii milloin vain.
redeem-code-missing = Syötä kortin koodi tai lue se.
redeem-find = Hae kortti
redeem-finding = Korttia haetaan
