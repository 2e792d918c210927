# en.ftl says where these messages stand.

## The page of a shop

shop-title = Gavekort hos { $shop }
shop-description = Gavekort hos { $shop } til enhver lejlighed.
shop-visit = Besøg { $host }
shop-gift-cards = Gavekort
shop-empty-title = Ingen gavekort endnu
shop-empty = { $shop } har ingen gavekort til salg lige nu.
shop-sold-by = Gavekortene sælges af { $shop }.
shop-sold-in-shop = Gavekortene sælges i butikken.
shop-check-balance = Se saldoen på et kort
shop-terms = Vilkår

## A gift card on sale

offer-drawn = Gavekort
offer-amounts = Beløb for { $offer }
offer-other = Andet
offer-other-amount = Andet beløb
offer-amount-in = Beløb i { $currency }
offer-enter-range = Indtast { $min } til { $max }.
offer-enter-from = Indtast { $min } eller mere.
offer-enter-up-to = Indtast højst { $max }.
offer-enter-any = Indtast et beløb.
offer-range = { $min } til { $max }
offer-from = { $min } eller mere
offer-up-to = Op til { $max }
offer-any = Valgfrit beløb
offer-buy = Køb
offer-buy-any = Køb { $offer }
offer-buy-for = Køb { $offer }, { $amount }
offer-sold-in-shop = Sælges i butikken

## The page of card holders

card-title = Dit gavekort hos { $shop }
card-heading = Dit gavekort
card-code = Kortets kode
card-code-hint = Koden står på kortet, på kvitteringen eller i den e-mail, du har fået.
card-show = Vis saldo
card-balance = Saldo
card-unknown = Ikke kendt lige nu
card-valid-until = Gyldigt til
card-expired-on = Udløbet
card-reference = Kort
card-pay = Betal med kortet ved at få koden scannet ved kassen hos { $shop }.
card-empty = Kortets saldo er nul.
card-expired = Kortet kan ikke længere bruges.
card-blocked = Kortet kan ikke bruges lige nu. Spørg { $shop }.
card-qr = Kortets kode til scanning
card-another = Se et andet kort

## Why there is no balance

refused-no-code = Indtast koden på dit kort.
refused-long-code = Koden er for lang: den kan have højst 500 tegn.
refused-unknown-card = Denne butik har intet gavekort med denne kode.
refused-too-many = For mange koder er prøvet. Prøv igen senere.
refused-network = Kortet kan ikke slås op lige nu. Prøv igen.
refused-failed = Noget gik galt. Prøv igen.

## In the place of a page

missing-shop = Der er ingen butik på denne adresse.
missing-shop-advice = Tjek adressen, eller bed om linket.
failed-catalog = Udvalget kunne ikke læses. Prøv igen.
failed-advice = Intet er ændret.

## Languages

menu-label = Sprog
