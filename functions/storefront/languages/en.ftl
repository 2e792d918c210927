# What the page of a shop and the page of card holders say. docs/front-end.md says how to add a message or a language.
# Amounts, dates and names come as they are shown.

## The page of a shop

shop-title = Gift cards of { $shop }
# For search engines, and where the page is shared.
shop-description = Gift cards of { $shop }, for any occasion.
shop-visit = Visit { $host }
shop-gift-cards = Gift cards
shop-empty-title = No gift cards yet
shop-empty = { $shop } has no gift cards for sale at the moment.
shop-sold-by = Gift cards are sold by { $shop }.
shop-sold-in-shop = Gift cards are sold in the shop.
shop-check-balance = Check the balance of a card
shop-terms = Terms

## A gift card on sale

# Drawn on the card, above its amount.
offer-drawn = Gift card
offer-amounts = Amount of { $offer }
# One of the amounts to choose from: a button of a few letters, and its name when it is read aloud, which has the same word.
offer-other = Other
offer-other-amount = Other amount
offer-amount-in = Amount in { $currency }
offer-enter-range = Enter { $min } to { $max }.
offer-enter-from = Enter { $min } or more.
offer-enter-up-to = Enter up to { $max }.
offer-enter-any = Enter an amount.
offer-range = { $min } to { $max }
offer-from = { $min } or more
offer-up-to = Up to { $max }
offer-any = Any amount
# A button, and its name when it is read aloud, which begins with the same word.
offer-buy = Buy
offer-buy-any = Buy { $offer }
offer-buy-for = Buy { $offer }, { $amount }
offer-sold-in-shop = Sold in the shop

## The page of card holders

card-title = Your gift card of { $shop }
card-heading = Your gift card
card-code = Code of the card
card-code-hint = The code is on the card, on its receipt, or in the e-mail that you received.
card-show = Show balance
card-balance = Balance
# In the place of the amount.
card-unknown = Not known at the moment
# The date stands beside it.
card-valid-until = Valid until
card-expired-on = Expired on
# The end of the code stands beside it.
card-reference = Card
card-pay = To pay with it, have the code scanned at the till of { $shop }.
card-empty = The balance of this card is zero.
card-expired = This card can no longer be used.
card-blocked = This card cannot be used at the moment. Please ask { $shop }.
card-qr = Code of the card, to be scanned
card-another = Check another card

## Why there is no balance

refused-no-code = Please enter the code of your card.
refused-long-code = This code is too long: it can have at most 500 characters.
refused-unknown-card = This shop has no gift card with this code.
refused-too-many = Too many codes have been tried. Please try again later.
refused-network = The card cannot be looked up at the moment. Please try again.
refused-failed = Something went wrong. Please try again.

## In the place of a page

missing-shop = There is no shop at this address.
missing-shop-advice = Check the address, or ask for the link.
failed-catalog = The catalog could not be read. Please try again.
failed-advice = Nothing was changed.

## Languages

# Read aloud before the list of languages.
menu-label = Language
