# en.ftl says where these messages stand.

## The page of a shop

shop-title = Geschenkkarten von { $shop }
shop-description = Geschenkkarten von { $shop } für jeden Anlass.
shop-visit = { $host } besuchen
shop-gift-cards = Geschenkkarten
shop-empty-title = Noch keine Geschenkkarten
shop-empty = { $shop } hat zurzeit keine Geschenkkarten im Verkauf.
shop-sold-by = Geschenkkarten werden von { $shop } verkauft.
shop-sold-in-shop = Geschenkkarten werden im Geschäft verkauft.
shop-check-balance = Guthaben einer Karte abfragen
shop-terms = AGB

## A gift card on sale

offer-drawn = Geschenkkarte
offer-amounts = Betrag für { $offer }
offer-other = Anderer
offer-other-amount = Anderer Betrag
offer-amount-in = Betrag in { $currency }
offer-enter-range = Geben Sie { $min } bis { $max } ein.
offer-enter-from = Geben Sie mindestens { $min } ein.
offer-enter-up-to = Geben Sie höchstens { $max } ein.
offer-enter-any = Geben Sie einen Betrag ein.
offer-range = { $min } bis { $max }
offer-from = ab { $min }
offer-up-to = bis { $max }
offer-any = Beliebiger Betrag
offer-buy = Kaufen
offer-buy-any = Kaufen: { $offer }
offer-buy-for = Kaufen: { $offer }, { $amount }
offer-sold-in-shop = Im Geschäft erhältlich

## The page of card holders

card-title = Ihre Geschenkkarte von { $shop }
card-heading = Ihre Geschenkkarte
card-code = Code der Karte
card-code-hint = Der Code steht auf der Karte, auf dem Beleg oder in der E-Mail, die Sie erhalten haben.
card-show = Guthaben anzeigen
card-balance = Guthaben
card-unknown = Zurzeit nicht bekannt
card-valid-until = Gültig bis
card-expired-on = Abgelaufen am
card-reference = Karte
card-pay = Um damit zu bezahlen, lassen Sie den Code an der Kasse von { $shop } scannen.
card-empty = Auf dieser Karte ist kein Guthaben mehr.
card-expired = Diese Karte kann nicht mehr verwendet werden.
card-blocked = Diese Karte kann zurzeit nicht verwendet werden. Bitte fragen Sie { $shop }.
card-qr = Code der Karte zum Scannen
card-another = Eine andere Karte abfragen

## Why there is no balance

refused-no-code = Bitte geben Sie den Code Ihrer Karte ein.
refused-long-code = Dieser Code ist zu lang: Er kann höchstens 500 Zeichen haben.
refused-unknown-card = Dieser Shop hat keine Geschenkkarte mit diesem Code.
refused-too-many = Es wurden zu viele Codes ausprobiert. Bitte versuchen Sie es später noch einmal.
refused-network = Die Karte kann zurzeit nicht abgefragt werden. Bitte versuchen Sie es noch einmal.
refused-failed = Etwas ist schiefgegangen. Bitte versuchen Sie es noch einmal.

## In the place of a page

missing-shop = Unter dieser Adresse gibt es keinen Shop.
missing-shop-advice = Prüfen Sie die Adresse oder bitten Sie um den Link.
failed-catalog = Das Angebot konnte nicht geladen werden. Bitte versuchen Sie es noch einmal.
failed-advice = Es wurde nichts geändert.

## Languages

menu-label = Sprache
