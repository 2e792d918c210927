# en.ftl says where these messages stand.

## The page of a shop

shop-title = Cadeaukaarten van { $shop }
shop-description = Cadeaukaarten van { $shop }, voor elke gelegenheid.
shop-visit = Naar { $host }
shop-gift-cards = Cadeaukaarten
shop-empty-title = Nog geen cadeaukaarten
shop-empty = { $shop } heeft op dit moment geen cadeaukaarten te koop.
shop-sold-by = Cadeaukaarten worden verkocht door { $shop }.
shop-sold-in-shop = Cadeaukaarten worden in de winkel verkocht.
shop-check-balance = Saldo van een kaart bekijken
shop-terms = Voorwaarden

## A gift card on sale

offer-drawn = Cadeaukaart
offer-amounts = Bedrag van { $offer }
offer-other = Ander
offer-other-amount = Ander bedrag
offer-amount-in = Bedrag in { $currency }
offer-enter-range = Voer { $min } tot { $max } in.
offer-enter-from = Voer { $min } of meer in.
offer-enter-up-to = Voer hooguit { $max } in.
offer-enter-any = Voer een bedrag in.
offer-range = { $min } tot { $max }
offer-from = { $min } of meer
offer-up-to = Tot { $max }
offer-any = Elk bedrag
offer-buy = Kopen
offer-buy-any = Kopen: { $offer }
offer-buy-for = Kopen: { $offer }, { $amount }
offer-sold-in-shop = In de winkel verkocht

## The page of card holders

card-title = Uw cadeaukaart van { $shop }
card-heading = Uw cadeaukaart
card-code = Code van de kaart
card-code-hint = De code staat op de kaart, op de bon of in de e-mail die u hebt ontvangen.
card-show = Saldo tonen
card-balance = Saldo
card-unknown = Op dit moment niet bekend
card-valid-until = Geldig tot en met
card-expired-on = Verlopen op
card-reference = Kaart
card-pay = Laat de code bij de kassa van { $shop } scannen om ermee te betalen.
card-empty = Het saldo van deze kaart is nul.
card-expired = Deze kaart kan niet meer worden gebruikt.
card-blocked = Deze kaart kan op dit moment niet worden gebruikt. Vraag het aan { $shop }.
card-qr = Code van de kaart om te scannen
card-another = Een andere kaart bekijken

## Why there is no balance

refused-no-code = Voer de code van uw kaart in.
refused-long-code = Deze code is te lang: hij kan hooguit 500 tekens hebben.
refused-unknown-card = Deze winkel heeft geen cadeaukaart met deze code.
refused-too-many = Er zijn te veel codes geprobeerd. Probeer het later opnieuw.
refused-network = De kaart kan op dit moment niet worden opgezocht. Probeer het opnieuw.
refused-failed = Er is iets misgegaan. Probeer het opnieuw.

## In the place of a page

missing-shop = Er is geen winkel op dit adres.
missing-shop-advice = Controleer het adres of vraag om de link.
failed-catalog = Het aanbod kon niet worden gelezen. Probeer het opnieuw.
failed-advice = Er is niets veranderd.

## Languages

menu-label = Taal
