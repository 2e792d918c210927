# en.ftl says where these messages stand.

## The page of a shop

shop-title = Presentkort från { $shop }
shop-description = Presentkort från { $shop }, för alla tillfällen.
shop-visit = Besök { $host }
shop-gift-cards = Presentkort
shop-empty-title = Inga presentkort än
shop-empty = { $shop } har inga presentkort till salu just nu.
shop-sold-by = Presentkorten säljs av { $shop }.
shop-sold-in-shop = Presentkorten säljs i butiken.
shop-check-balance = Se saldot på ett kort
shop-terms = Villkor

## A gift card on sale

offer-drawn = Presentkort
offer-amounts = Belopp för { $offer }
offer-other = Annat
offer-other-amount = Annat belopp
offer-amount-in = Belopp i { $currency }
offer-enter-range = Ange ett belopp från { $min } till { $max }.
offer-enter-from = Ange { $min } eller mer.
offer-enter-up-to = Ange högst { $max }.
offer-enter-any = Ange ett belopp.
offer-range = { $min } till { $max }
offer-from = { $min } eller mer
offer-up-to = Upp till { $max }
offer-any = Valfritt belopp
offer-buy = Köp
offer-buy-any = Köp { $offer }
offer-buy-for = Köp { $offer }, { $amount }
offer-sold-in-shop = Säljs i butiken

## The page of card holders

card-title = Ditt presentkort från { $shop }
card-heading = Ditt presentkort
card-code = Kortets kod
card-code-hint = Koden står på kortet, på kvittot eller i e-postmeddelandet som du har fått.
card-show = Visa saldo
card-balance = Saldo
card-unknown = Okänt just nu
card-valid-until = Giltigt till
card-expired-on = Gick ut
card-reference = Kort
card-pay = Betala med kortet genom att låta koden skannas i kassan hos { $shop }.
card-empty = Kortets saldo är noll.
card-expired = Kortet kan inte längre användas.
card-blocked = Kortet kan inte användas just nu. Kontakta { $shop }.
card-qr = Kortets kod för skanning
card-another = Kontrollera ett annat kort

## Why there is no balance

refused-no-code = Ange koden på ditt kort.
refused-long-code = Koden är för lång: den kan ha högst 500 tecken.
refused-unknown-card = Den här butiken har inget presentkort med den koden.
refused-too-many = För många koder har prövats. Försök igen senare.
refused-network = Kortet kan inte slås upp just nu. Försök igen.
refused-failed = Något gick fel. Försök igen.

## In the place of a page

missing-shop = Det finns ingen butik på den här adressen.
missing-shop-advice = Kontrollera adressen eller be om länken.
failed-catalog = Sortimentet kunde inte hämtas. Försök igen.
failed-advice = Inget har ändrats.

## Languages

menu-label = Språk
