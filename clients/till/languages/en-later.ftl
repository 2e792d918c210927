# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Close
again = Try again
next-customer = Next customer
not-known = Not known

late-redeem-done = The answer was late, but it went through: { $amount }, { $card }
late-redeem-failed = Nothing was taken off the card: { $amount }, { $card }
late-issue-done = The answer was late, but the card was issued: { $amount }
late-issue-failed = No card was issued: { $amount }
no-journal = This browser saves nothing for the till, so no money can be moved. Leave the private window, or allow storage for this page, and reload it.
not-revoked = The portal could not be reached, so this device's access still works. It ends as soon as the portal can be reached from here. To end it now, revoke the till in the dashboard under Stores and tills.
moving-redeem = Taking { $amount } off the card
moving-issue = Issuing a gift card of { $amount }
moving-slow-redeem = The card network is slow. The amount is taken once at most.
moving-slow-issue = The card network is slow. One card is issued at most.

## Menu

menu-open-calls = The outcome of a call is not known yet. Unpairing forgets it: wait until it is known.
menu-unpairing = Unpairing signs the till out and forgets today's list. It needs a new code from the dashboard to work again.
menu-signals = Sound and vibration when a call is done or refused
menu-unpair = Unpair { $till }
menu-language = Language
menu-language-browser = { $language } (as the browser)
menu-customer-language = Language of printed cards and receipts
menu-customer-language-till = { $language } (as the till)

## Pairing

pairing-title = Pair this till
pairing-title-again = Pair { $till } again
pairing-lead = In the dashboard, open Stores and tills, add a till, and enter its code here.
pairing-lead-again = The till was signed out. What you entered is still here once it is paired.
pairing-code = Pairing code
pairing-hint = { $count } characters. It works once, for 10 minutes.
pairing-too-short = Enter all { $count } characters of the code.
pairing-button = Pair till
pairing-busy = Pairing
pairing-failed-connection = No connection. Try again.
pairing-failed-code = That code is wrong or has expired.
pairing-failed-attempts = Too many attempts.
pairing-failed = The till could not be paired. Try again.

## Entering an amount

keypad-label = Amount
keypad-erase = Delete digit
enter-amount = Enter the amount
note-as-fast-as-scanner = This was entered as fast as by a scanner. Check it, then press the button.
note-press-again = Check it, then press Enter again.
note-no-decimals = { $currency } has no decimals. The separator was ignored.
note-separator = The separator was ignored.
note-too-many-decimals = { $currency } has { $decimals } decimals. The { $key } was ignored.
note-second-separator = A second separator was ignored.

## When to try again

retry-now = Try again now.
retry-seconds = Try again in { $seconds } s.
retry-minutes = Try again in { $minutes } min.

## Cards

card-gift-card = Gift card
card-valid-to = Valid to { $date }
card-expired-on = Expired { $date }
card-balance = Balance
card-on-it-now = On the card now

## Why something failed

refused-card-not-found = No such card. Scan it again.
refused-card-blocked = The card is blocked.
refused-card-expired = The card has expired.
refused-insufficient-funds = There is less on the card than this.
refused-invalid-amount = The card network does not accept this amount.
refused-offer-not-found = This offer is no longer sold.
refused-offer-not-available = This offer is not sold now.
refused-rate-limited = The card network is busy.
refused-merchant-not-active = The business is not active, so no gift card can be sold or redeemed.
refused-forbidden = This till may not do that. Ask the administrator.
refused-invalid-request = The card network does not accept this.
refused-offer-unreadable = This offer cannot be sold until it is corrected in the dashboard.
refused-refund-too-large = More than is left of this redemption. Some of it has already been given back.
refused-no-such-redemption = There is no such redemption to give back.
refused-too-many-requests = Too many requests.
refused-not-paired = This till is no longer paired.
refused-unreachable = The card network could not be reached. Try again.
refused-by-network = The card network refused it.

not-sent-offline = The till has no connection. Nothing was sent.
not-sent-journal = This device could not save the call, so it was not sent. Free some storage, then try again.
not-sent-busy = The outcome of an earlier call is not known yet, so nothing was sent. See Today.

look-up-no-connection = No connection. The card could not be looked up. Try again.
look-up-slow = The card network is slow, and has not answered. Nothing was changed. Try again.
look-up-in-use = The card is in use elsewhere.
look-up-failed = The card could not be looked up. Nothing was changed. Try again.
other-nothing = This is not the code of a gift card.
other-link = This is a link, and leads to no card of this business.
other-product = This is the code of a product, not of a gift card.

## Redeem

redeem-card-title = Card ending in { $card }
redeem-expired = This card has expired. Nothing can be taken off it.
redeem-empty = This card is empty.
redeem-blocked = This card is blocked. Nothing can be taken off it.
redeem-unknown = The outcome of an earlier redemption is not known yet. Do not redeem this card again until it is: see Today.
redeem-whole-card = Use the whole card
redeem-total = Purchase total
redeem-from-card = From the card
redeem-left-to-pay = Left to pay
redeem-enter-total = Enter the purchase total
redeem-button = Redeem { $amount }

## What was done with a card

history-button = History
history-title = Card { $card }
history-loading = Loading the history
history-issued = Issued
history-redeemed = Redeemed
history-given-back = Given back
history-unknown = Not known yet
history-changed = Changed
history-differs = This does not match the balance of the card. Ask the administrator to look into it.
history-balance = On the card now: { $amount }
history-empty-title = Nothing yet
history-empty = What your tills and your shop do with this card appears here.
history-earlier = Show earlier
history-refunded = { $amount } given back
history-none = This card has no history here.
history-failed = The history could not be loaded. Nothing was changed.

## Camera and scanner

camera-label = Camera
camera-title = Show the code to the camera
camera-hint = Hold it still, a hand's width away.
camera-failed = The camera cannot be used. Allow it for this page, or type the code.
camera-type = Type the code instead
scan-scanned = Scanned { $code }
scan-unreadable = Scanned a code that could not be read
scan-unchanged = What is on the screen has not changed.
scan-looking = Looking it up.
scan-another-card = Another card? What is on the screen has not changed.
scan-find = Look it up
scan-was-amount = It was an amount

## Sell

sell-title = Sell a gift card
sell-loading = Loading gift cards
sell-failed = The gift cards could not be loaded. Nothing was changed.
sell-empty-title = No gift cards on sale
sell-empty = Offers that are available in the dashboard appear here.
sell-credit-title = Give store credit
sell-credit = For returned goods. Nothing is paid for it. A redemption is given back from Today.
sell-credit-free = Nothing is paid for store credit.
sell-pay-first = Take the payment first, then issue the card.
sell-credit-for-customer = Store credit for the customer
sell-to-be-paid = To be paid by the customer
sell-amounts = Amounts
sell-give-button = Give { $amount }
sell-issue-button = Paid, issue { $amount }
price-range = { $min } to { $max }
price-from = { $min } or more
price-up-to = Up to { $max }
price-any = Any amount
enter-any = Enter an amount.
enter-range = Enter { $min } to { $max }.
enter-from = Enter { $min } or more.
enter-exactly = Enter { $amount }.
enter-at-most = Enter at most { $amount }.

## How the customer gets the card

delivery-label = Delivery
delivery-on-this-screen = On this screen
delivery-change = Change
delivery-title = How does the customer get it?
delivery-screen = On screen
delivery-email = E-mail
delivery-sms = SMS
delivery-show = Show it here
delivery-send = Send it there
delivery-screen-hint = Its code is shown on this screen. It can be photographed, scanned or printed.
delivery-email-label = E-mail address
delivery-email-hint = The code is shown here as well.
delivery-email-wrong = Enter an address such as { $example }.
delivery-sms-label = Mobile number
delivery-sms-hint = With the country's code, such as { $example }.
delivery-sms-wrong = Enter a mobile number with its country's code.

## A card that was sold

sold-sent = The card network sends it to { $address }, once.
sold-wrong-address = Wrong address?
sold-wrong-address-help = It cannot be sent again. Show the code here, or print it: it is the same card.
sold-no-code = The card network gave no code to show. Find the order in the dashboard.
sold-let-scan = Let the customer photograph or scan it.
sold-full-screen = Full screen
sold-print = Print
sold-code = Code of the gift card

## Give back

give-back = Give back
give-back-no-credit = This business has no store credit to give. Add it to the offers in the dashboard.
give-back-all = All of it has been given back.
give-back-loading = Looking up what can be given back
give-back-redeemed = Redeemed from { $card }
give-back-already = Already given back
give-back-at-most = At most { $amount }.
give-back-continue = Continue
give-back-why = Why is it given back?
give-back-explained = A new card with { $amount } of store credit, for what was redeemed from { $card }.
give-back-reason = Reason
give-back-returned = Goods returned
give-back-wrong-amount = Wrong amount
give-back-other = Other
give-back-reason-missing = Enter the reason.
give-back-choose = Choose a reason.
give-back-button = Give back { $amount }

## What became of a call

outcome-refused = Refused
outcome-closed = Not carried out
outcome-not-sent = Not sent
outcome-by-hand = Checked by hand
outcome-unknown = Not known yet
outcome-redeemed = { $amount } redeemed
outcome-sold = { $amount } gift card sold
outcome-credit-given = { $amount } store credit given
outcome-nothing-taken = Nothing was taken off the card.
outcome-none-issued = No card was issued.
outcome-stopped = It was stopped, and will never be carried out.
outcome-connect = The till is offline. Connect it, then try again.
outcome-found-by-hand = The outcome was found out at the till:
outcome-late = The answer was late, but it went through.
outcome-amount = Amount
outcome-card = Card
outcome-gift-card = Gift card
outcome-looking = Looking
outcome-still-to-pay = Still to pay
outcome-left = Left on the card
outcome-back-to-today = Back to Today
outcome-back-to-amount = Back to the amount
outcome-pay-rest = Another card for { $amount }

unknown-redeem = { $amount } may or may not have been taken off card { $card }.
unknown-issue = A gift card of { $amount } may or may not have been issued.
unknown-no-response = There is no response yet.
unknown-no-connection = The till has no connection.
unknown-do-not-redeem = Do not redeem it again.
unknown-do-not-sell = Do not sell it again.
unknown-wait = Ask the customer to wait. This page finds out and tells you.
unknown-final = The portal cannot tell the outcome. Compare the card's balance and the orders in the dashboard.
unknown-other-merchant = It was started for { $merchant }, and cannot be looked up from here.
unknown-some-merchant = It was started for a merchant that is not known, and cannot be looked up from here.
unknown-cannot-wait = If the customer cannot wait
unknown-leave-redeem = Serve the next customer, and take the { $total } another way: anything that was not taken off the card by then never will be. If it was, this till shows it under Today.
unknown-leave-issue = Serve the next customer: anything that was not issued by then never will be. If it was, the code is under Today and can be sent.
unknown-sent = Sent
unknown-no-answer = No answer
unknown-asked =
    { $count ->
        [0] Not asked yet
        [1] Asked once, no answer yet
        [2] Asked twice, no answer yet
       *[other] Asked { $count } times, no answer yet
    }
unknown-asks-in = asks in { $seconds } s
unknown-asks-again-in = again in { $seconds } s
unknown-asking = asking
unknown-ask-now = Ask now
unknown-next-customer = Serve the next customer
by-hand = I have checked it
by-hand-found = What did you find?
by-hand-hint = Such as: the balance is 150.50, so it was taken.
by-hand-missing = Describe in a sentence what you found.

## Today

today-title = Today
today-empty-title = Nothing yet
today-empty = Cards that this till sells and redeems appear here.
today-redeemed = Redeemed
today-sold = Sold
today-done = Done
today-redeem-row = Redeem { $card }
today-sell-row = Sell { $offer }
today-give-row = Give { $offer }
today-earlier-version = Earlier version

## Receipt, for the till

receipt-print = Print receipt
receipt-no-paper = No paper? Let the customer scan
receipt-page = The page asks for the card's code, and shows its balance.

## Ticket, receipt and codes: for the customer

qr-gift-card = QR code of the gift card
qr-balance-page = QR code of the page that shows what is left on a card
paper-label = For printing
ticket-valid-to = Valid to { $date }
ticket-advice = Show this code to pay with it. Keep it like cash: whoever has the code can use it.
paper-balance = What is left on a card:
receipt-title = Paid by gift card
receipt-total = Purchase total
receipt-card = Card
receipt-left = Left on the card
receipt-reference = Reference
