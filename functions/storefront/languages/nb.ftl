# en.ftl says where these messages stand.

## The page of a shop

shop-title = Gavekort hos { $shop }
shop-description = Gavekort hos { $shop }, for enhver anledning.
shop-visit = Besøk { $host }
shop-gift-cards = Gavekort
shop-empty-title = Ingen gavekort ennå
shop-empty = { $shop } har ingen gavekort til salgs for øyeblikket.
shop-sold-by = Gavekortene selges av { $shop }.
shop-sold-in-shop = Gavekortene selges i butikken.
shop-check-balance = Se saldoen på et kort
shop-terms = Vilkår

## A gift card on sale

offer-drawn = Gavekort
offer-amounts = Beløp for { $offer }
offer-other = Annet
offer-other-amount = Annet beløp
offer-amount-in = Beløp i { $currency }
offer-enter-range = Tast inn { $min } til { $max }.
offer-enter-from = Tast inn { $min } eller mer.
offer-enter-up-to = Tast inn høyst { $max }.
offer-enter-any = Tast inn et beløp.
offer-range = { $min } til { $max }
offer-from = { $min } eller mer
offer-up-to = Inntil { $max }
offer-any = Valgfritt beløp
offer-buy = Kjøp
offer-buy-any = Kjøp { $offer }
offer-buy-for = Kjøp { $offer }, { $amount }
offer-sold-in-shop = Selges i butikken

## The page of card holders

card-title = Gavekortet ditt hos { $shop }
card-heading = Gavekortet ditt
card-code = Koden på kortet
card-code-hint = Koden står på kortet, på kvitteringen eller i e-posten du har fått.
card-show = Vis saldo
card-balance = Saldo
card-unknown = Ikke kjent for øyeblikket
card-valid-until = Gyldig til
card-expired-on = Utløpt
card-reference = Kort
card-pay = Betal med kortet ved å få koden skannet i kassen hos { $shop }.
card-empty = Saldoen på kortet er null.
card-expired = Kortet kan ikke lenger brukes.
card-blocked = Kortet kan ikke brukes for øyeblikket. Spør { $shop }.
card-qr = Koden på kortet, til skanning
card-another = Se et annet kort

## Why there is no balance

refused-no-code = Skriv inn koden på kortet ditt.
refused-long-code = Koden er for lang: den kan ha høyst 500 tegn.
refused-unknown-card = Denne butikken har ikke noe gavekort med denne koden.
refused-too-many = For mange koder er prøvd. Prøv igjen senere.
refused-network = Kortet kan ikke slås opp for øyeblikket. Prøv igjen.
refused-failed = Noe gikk galt. Prøv igjen.

## In the place of a page

missing-shop = Det finnes ingen butikk på denne adressen.
missing-shop-advice = Kontroller adressen, eller be om lenken.
failed-catalog = Utvalget kunne ikke leses. Prøv igjen.
failed-advice = Ingenting er endret.

## Languages

menu-label = Språk
