# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Sluiten
again = Opnieuw proberen
next-customer = Volgende klant
not-known = Niet bekend

late-redeem-done = Het antwoord kwam laat, maar het is gelukt: { $amount }, { $card }
late-redeem-failed = Er is niets van de kaart afgeschreven: { $amount }, { $card }
late-issue-done = Het antwoord kwam laat, maar de kaart is uitgegeven: { $amount }
late-issue-failed = Er is geen kaart uitgegeven: { $amount }
no-journal = Deze browser slaat niets op voor de kassa, dus er kan geen geld worden verplaatst. Verlaat het privévenster of sta opslag toe voor deze pagina, en laad haar opnieuw.
not-revoked = Het portaal was niet bereikbaar, dus dit apparaat heeft nog toegang. Die eindigt zodra het portaal vanaf hier bereikbaar is. Wilt u dat nu, trek de kassa dan in het dashboard in onder ‘Stores and tills’.
moving-redeem = { $amount } wordt van de kaart afgeschreven
moving-issue = Een cadeaukaart van { $amount } wordt uitgegeven
moving-slow-redeem = Het kaartnetwerk is traag. Het bedrag wordt hooguit één keer afgeschreven.
moving-slow-issue = Het kaartnetwerk is traag. Er wordt hooguit één kaart uitgegeven.

## Menu

menu-open-calls = De uitkomst van een transactie is nog niet bekend. Bij ontkoppelen gaat ze verloren: wacht tot ze bekend is.
menu-unpairing = Bij ontkoppelen wordt de kassa afgemeld en de lijst van vandaag gewist. Daarna heeft ze een nieuwe code uit het dashboard nodig.
menu-signals = Geluid en trilling als iets gelukt of geweigerd is
menu-unpair = { $till } ontkoppelen
menu-language = Taal
menu-language-browser = { $language } (zoals de browser)
menu-customer-language = Taal van afgedrukte kaarten en bonnen
menu-customer-language-till = { $language } (zoals de kassa)

## Pairing

pairing-title = Deze kassa koppelen
pairing-title-again = { $till } opnieuw koppelen
pairing-lead = Open in het dashboard ‘Stores and tills’, voeg een kassa toe en voer hier de code in.
pairing-lead-again = De kassa is afgemeld. Wat u hebt ingevoerd, is er nog als ze weer gekoppeld is.
pairing-code = Koppelcode
pairing-hint = { $count } tekens. Hij werkt één keer, 10 minuten lang.
pairing-too-short = Voer alle { $count } tekens van de code in.
pairing-button = Kassa koppelen
pairing-busy = Bezig met koppelen
pairing-failed-connection = Geen verbinding. Probeer het opnieuw.
pairing-failed-code = Die code is onjuist of verlopen.
pairing-failed-attempts = Te veel pogingen.
pairing-failed = De kassa kon niet worden gekoppeld. Probeer het opnieuw.

## Entering an amount

keypad-label = Bedrag
keypad-erase = Cijfer wissen
enter-amount = Voer het bedrag in
note-as-fast-as-scanner = Dit kwam zo snel als van een scanner. Controleer het en druk dan op de knop.
note-press-again = Controleer het en druk dan nog een keer op Enter.
note-no-decimals = { $currency } heeft geen decimalen. Het scheidingsteken is genegeerd.
note-separator = Het scheidingsteken is genegeerd.
note-too-many-decimals = { $currency } heeft { $decimals } decimalen. De { $key } is genegeerd.
note-second-separator = Een tweede scheidingsteken is genegeerd.

## When to try again

retry-now = Probeer het nu opnieuw.
retry-seconds = Probeer het opnieuw over { $seconds } s.
retry-minutes = Probeer het opnieuw over { $minutes } min.

## Cards

card-gift-card = Cadeaukaart
card-valid-to = Geldig tot en met { $date }
card-expired-on = Verlopen op { $date }
card-balance = Saldo
card-on-it-now = Nu op de kaart

## Why something failed

refused-card-not-found = Deze kaart bestaat niet. Scan haar opnieuw.
refused-card-blocked = De kaart is geblokkeerd.
refused-card-expired = De kaart is verlopen.
refused-insufficient-funds = Er staat minder op de kaart dan dit.
refused-invalid-amount = Het kaartnetwerk accepteert dit bedrag niet.
refused-offer-not-found = Deze kaart wordt niet meer verkocht.
refused-offer-not-available = Deze kaart wordt nu niet verkocht.
refused-rate-limited = Het kaartnetwerk is overbelast.
refused-merchant-not-active = Het bedrijf is niet actief, dus er kunnen geen cadeaukaarten worden verkocht of verzilverd.
refused-forbidden = Deze kassa mag dat niet. Vraag het de beheerder.
refused-invalid-request = Het kaartnetwerk accepteert dit niet.
refused-offer-unreadable = Deze kaart kan pas worden verkocht als ze in het dashboard is gecorrigeerd.
refused-refund-too-large = Meer dan er van deze verzilvering over is. Een deel is al teruggegeven.
refused-no-such-redemption = Er is geen zulke verzilvering om terug te geven.
refused-too-many-requests = Te veel verzoeken.
refused-not-paired = Deze kassa is niet meer gekoppeld.
refused-unreachable = Het kaartnetwerk was niet bereikbaar. Probeer het opnieuw.
refused-by-network = Het kaartnetwerk heeft geweigerd.

not-sent-offline = De kassa heeft geen verbinding. Er is niets verzonden.
not-sent-journal = Dit apparaat kon de transactie niet opslaan, dus ze is niet verzonden. Maak opslagruimte vrij en probeer het dan opnieuw.
not-sent-busy = De uitkomst van een eerdere transactie is nog niet bekend, dus er is niets verzonden. Zie Vandaag.

look-up-no-connection = Geen verbinding. De kaart kon niet worden opgezocht. Probeer het opnieuw.
look-up-slow = Het kaartnetwerk is traag en heeft niet geantwoord. Er is niets gewijzigd. Probeer het opnieuw.
look-up-in-use = De kaart wordt elders gebruikt.
look-up-failed = De kaart kon niet worden opgezocht. Er is niets gewijzigd. Probeer het opnieuw.
other-nothing = Dit is niet de code van een cadeaukaart.
other-link = Dit is een link die niet naar een kaart van dit bedrijf leidt.
other-product = Dit is de code van een artikel, niet van een cadeaukaart.

## Redeem

redeem-card-title = Kaart die eindigt op { $card }
redeem-expired = Deze kaart is verlopen. Er kan niets van worden afgeschreven.
redeem-empty = Deze kaart is leeg.
redeem-blocked = Deze kaart is geblokkeerd. Er kan niets van worden afgeschreven.
redeem-unknown = De uitkomst van een eerdere verzilvering is nog niet bekend. Verzilver deze kaart tot dan niet opnieuw: zie Vandaag.
redeem-whole-card = Hele kaart gebruiken
redeem-total = Aankoopbedrag
redeem-from-card = Van de kaart
redeem-left-to-pay = Nog te betalen
redeem-enter-total = Voer het aankoopbedrag in
redeem-button = { $amount } verzilveren

## What was done with a card

history-button = Geschiedenis
history-title = Kaart { $card }
history-loading = De geschiedenis wordt geladen
history-issued = Uitgegeven
history-redeemed = Verzilverd
history-given-back = Teruggegeven
history-unknown = Nog niet bekend
history-changed = Gewijzigd
history-differs = Dit klopt niet met het saldo van de kaart. Vraag de beheerder het uit te zoeken.
history-balance = Nu op de kaart: { $amount }
history-empty-title = Nog niets
history-empty = Wat uw kassa’s en uw winkel met deze kaart doen, verschijnt hier.
history-earlier = Eerdere tonen
history-refunded = { $amount } teruggegeven
history-none = Deze kaart heeft hier geen geschiedenis.
history-failed = De geschiedenis kon niet worden geladen. Er is niets gewijzigd.

## Camera and scanner

camera-label = Camera
camera-title = Houd de code voor de camera
camera-hint = Houd hem stil, een handbreedte ervandaan.
camera-failed = De camera kan niet worden gebruikt. Sta haar toe voor deze pagina of typ de code.
camera-type = Code typen
scan-scanned = Gescand: { $code }
scan-unreadable = Gescand: een onleesbare code
scan-unchanged = Op het scherm is niets veranderd.
scan-looking = Kaart wordt opgezocht.
scan-another-card = Een andere kaart? Op het scherm is niets veranderd.
scan-find = Kaart zoeken
scan-was-amount = Het was een bedrag

## Sell

sell-title = Cadeaukaart verkopen
sell-loading = Cadeaukaarten worden geladen
sell-failed = De cadeaukaarten konden niet worden geladen. Er is niets gewijzigd.
sell-empty-title = Geen cadeaukaarten te koop
sell-empty = Wat in het dashboard beschikbaar is, verschijnt hier.
sell-credit-title = Tegoedbon geven
sell-credit = Voor geretourneerde artikelen. Er wordt niets voor betaald. Een verzilvering geeft u terug onder Vandaag.
sell-credit-free = Voor een tegoedbon wordt niets betaald.
sell-pay-first = Neem eerst de betaling aan en geef dan de kaart uit.
sell-credit-for-customer = Tegoed voor de klant
sell-to-be-paid = Te betalen door de klant
sell-amounts = Bedragen
sell-give-button = { $amount } geven
sell-issue-button = Betaald, { $amount } uitgeven
price-range = { $min } tot { $max }
price-from = { $min } of meer
price-up-to = Tot { $max }
price-any = Elk bedrag
enter-any = Voer een bedrag in.
enter-range = Voer { $min } tot { $max } in.
enter-from = Voer { $min } of meer in.
enter-exactly = Voer { $amount } in.
enter-at-most = Voer hooguit { $amount } in.

## How the customer gets the card

delivery-label = Levering
delivery-on-this-screen = Op dit scherm
delivery-change = Wijzigen
delivery-title = Hoe krijgt de klant de kaart?
delivery-screen = Op scherm
delivery-email = E-mail
delivery-sms = Sms
delivery-show = Hier tonen
delivery-send = Daarheen sturen
delivery-screen-hint = De code verschijnt op dit scherm. Hij kan worden gefotografeerd, gescand of afgedrukt.
delivery-email-label = E-mailadres
delivery-email-hint = De code verschijnt ook hier.
delivery-email-wrong = Voer een adres in zoals { $example }.
delivery-sms-label = Mobiel nummer
delivery-sms-hint = Met landnummer, zoals { $example }.
delivery-sms-wrong = Voer een mobiel nummer met landnummer in.

## A card that was sold

sold-sent = Het kaartnetwerk stuurt de kaart één keer naar { $address }.
sold-wrong-address = Verkeerd adres?
sold-wrong-address-help = De kaart kan niet opnieuw worden gestuurd. Toon de code hier of druk hem af: het is dezelfde kaart.
sold-no-code = Het kaartnetwerk gaf geen code om te tonen. Zoek de bestelling op in het dashboard.
sold-let-scan = Laat de klant de code fotograferen of scannen.
sold-full-screen = Volledig scherm
sold-print = Afdrukken
sold-code = Code van de cadeaukaart

## Give back

give-back = Teruggeven
give-back-no-credit = Dit bedrijf heeft geen tegoedbon om te geven. Voeg hem in het dashboard aan het aanbod toe.
give-back-all = Alles is al teruggegeven.
give-back-loading = Er wordt opgezocht wat kan worden teruggegeven
give-back-redeemed = Verzilverd van { $card }
give-back-already = Al teruggegeven
give-back-at-most = Hooguit { $amount }.
give-back-continue = Doorgaan
give-back-why = Waarom wordt het teruggegeven?
give-back-explained = Een nieuwe kaart met { $amount } tegoed, voor wat van { $card } is verzilverd.
give-back-reason = Reden
give-back-returned = Artikel geretourneerd
give-back-wrong-amount = Verkeerd bedrag
give-back-other = Anders
give-back-reason-missing = Voer de reden in.
give-back-choose = Kies een reden.
give-back-button = { $amount } teruggeven

## What became of a call

outcome-refused = Geweigerd
outcome-closed = Niet uitgevoerd
outcome-not-sent = Niet verzonden
outcome-by-hand = Met de hand gecontroleerd
outcome-unknown = Nog niet bekend
outcome-redeemed = { $amount } verzilverd
outcome-sold = Cadeaukaart van { $amount } verkocht
outcome-credit-given = Tegoedbon van { $amount } gegeven
outcome-nothing-taken = Er is niets van de kaart afgeschreven.
outcome-none-issued = Er is geen kaart uitgegeven.
outcome-stopped = De transactie is gestopt en wordt nooit uitgevoerd.
outcome-connect = De kassa is offline. Verbind haar en probeer het dan opnieuw.
outcome-found-by-hand = De uitkomst is aan de kassa vastgesteld:
outcome-late = Het antwoord kwam laat, maar het is gelukt.
outcome-amount = Bedrag
outcome-card = Kaart
outcome-gift-card = Cadeaukaart
outcome-looking = Wordt opgezocht
outcome-still-to-pay = Nog te betalen
outcome-left = Over op de kaart
outcome-back-to-today = Terug naar Vandaag
outcome-back-to-amount = Terug naar het bedrag
outcome-pay-rest = Andere kaart voor { $amount }

unknown-redeem = Het is niet bekend of { $amount } van kaart { $card } is afgeschreven of niet.
unknown-issue = Het is niet bekend of een cadeaukaart van { $amount } is uitgegeven of niet.
unknown-no-response = Er is nog geen antwoord.
unknown-no-connection = De kassa heeft geen verbinding.
unknown-do-not-redeem = Verzilver deze kaart niet opnieuw.
unknown-do-not-sell = Verkoop deze kaart niet opnieuw.
unknown-wait = Vraag de klant te wachten. Deze pagina zoekt het uit en laat het u weten.
unknown-final = Het portaal kan de uitkomst niet zeggen. Vergelijk het saldo van de kaart en de bestellingen in het dashboard.
unknown-other-merchant = De transactie is begonnen voor { $merchant } en kan hier niet worden opgezocht.
unknown-some-merchant = De transactie is begonnen voor een onbekend bedrijf en kan hier niet worden opgezocht.
unknown-cannot-wait = Als de klant niet kan wachten
unknown-leave-redeem = Help de volgende klant en laat de { $total } op een andere manier betalen: wat dan nog niet van de kaart is afgeschreven, wordt nooit meer afgeschreven. Is het wel afgeschreven, dan toont deze kassa dat onder Vandaag.
unknown-leave-issue = Help de volgende klant: wat dan nog niet is uitgegeven, wordt nooit meer uitgegeven. Is de kaart wel uitgegeven, dan staat de code onder Vandaag en kan hij worden verstuurd.
unknown-sent = Verzonden
unknown-no-answer = Geen antwoord
unknown-asked =
    { $count ->
        [0] Nog niet gevraagd
        [1] Eén keer gevraagd, nog geen antwoord
        [2] Twee keer gevraagd, nog geen antwoord
       *[other] { $count } keer gevraagd, nog geen antwoord
    }
unknown-asks-in = vraagt over { $seconds } s
unknown-asks-again-in = weer over { $seconds } s
unknown-asking = vraagt
unknown-ask-now = Nu vragen
unknown-next-customer = Volgende klant helpen
by-hand = Ik heb het gecontroleerd
by-hand-found = Wat hebt u vastgesteld?
by-hand-hint = Bijvoorbeeld: het saldo is 150,50, dus het is afgeschreven.
by-hand-missing = Beschrijf in één zin wat u hebt vastgesteld.

## Today

today-title = Vandaag
today-empty-title = Nog niets
today-empty = Kaarten die deze kassa verkoopt en verzilvert, verschijnen hier.
today-redeemed = Verzilverd
today-sold = Verkocht
today-done = Gelukt
today-redeem-row = Verzilvering { $card }
today-sell-row = Verkoop { $offer }
today-give-row = Tegoed { $offer }
today-earlier-version = Eerdere versie

## Receipt, for the till

receipt-print = Bon afdrukken
receipt-no-paper = Geen papier? Laat de klant scannen
receipt-page = De pagina vraagt om de code van de kaart en toont het saldo.

## Ticket, receipt and codes: for the customer

qr-gift-card = QR-code van de cadeaukaart
qr-balance-page = QR-code van de pagina die toont wat er over is op een kaart
paper-label = Om af te drukken
ticket-valid-to = Geldig tot en met { $date }
ticket-advice = Toon deze code om ermee te betalen. Bewaar hem als contant geld: wie de code heeft, kan hem gebruiken.
paper-balance = Saldo van een kaart:
receipt-title = Betaald met cadeaukaart
receipt-total = Aankoopbedrag
receipt-card = Kaart
receipt-left = Over op de kaart
receipt-reference = Referentie
