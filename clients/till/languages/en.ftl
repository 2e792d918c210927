# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Till
tabs-label = Till
tab-redeem = Redeem
tab-sell = Sell
tab-today = Today
# Read aloud after the number beside "Today".
tab-open-calls = not known yet
frame-back = Back
frame-online = Online
frame-offline = Offline
dismiss = Dismiss
cancel = Cancel

redeem-title = Redeem a gift card
redeem-rest = Left to pay by another card: { $amount }
redeem-camera = Scan with the camera
redeem-code = Card code
redeem-code-hint = A hand scanner works at any time.
redeem-code-missing = Enter the code of the card, or scan it.
redeem-find = Find card
redeem-finding = Looking the card up
