# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Stäng
again = Försök igen
next-customer = Nästa kund
not-known = Okänt

late-redeem-done = Svaret kom sent, men det gick igenom: { $amount }, { $card }
late-redeem-failed = Inget drogs från kortet: { $amount }, { $card }
late-issue-done = Svaret kom sent, men kortet utfärdades: { $amount }
late-issue-failed = Inget kort utfärdades: { $amount }
no-journal = Webbläsaren sparar inget för kassan, så det går inte att sälja eller lösa in kort. Lämna det privata fönstret, eller tillåt sidan att lagra data, och ladda om den.
not-revoked = Portalen kunde inte nås, så den här enheten har fortfarande åtkomst. Den upphör så snart portalen kan nås härifrån. Spärra kassan i instrumentpanelen under ”Stores and tills” om den ska upphöra nu.
moving-redeem = { $amount } dras från kortet
moving-issue = Ett presentkort på { $amount } utfärdas
moving-slow-redeem = Kortnätverket är långsamt. Beloppet dras högst en gång.
moving-slow-issue = Kortnätverket är långsamt. Högst ett kort utfärdas.

## Menu

menu-open-calls = Utfallet av en transaktion är inte känt än. Om kassan kopplas från glöms det bort: vänta tills det är känt.
menu-unpairing = När kassan kopplas från loggas den ut och glömmer dagens lista. Sedan behöver den en ny kod från instrumentpanelen.
menu-signals = Ljud och vibration när något är klart eller nekas
menu-unpair = Koppla från { $till }
menu-language = Språk
menu-language-browser = { $language } (som webbläsaren)
menu-customer-language = Språk på utskrivna kort och kvitton
menu-customer-language-till = { $language } (som kassan)

## Pairing

pairing-title = Parkoppla kassan
pairing-title-again = Parkoppla { $till } igen
pairing-lead = Öppna ”Stores and tills” i instrumentpanelen, lägg till en kassa och ange dess kod här.
pairing-lead-again = Kassan loggades ut. Det du har angett finns kvar när den är parkopplad igen.
pairing-code = Parkopplingskod
pairing-hint = { $count } tecken. Den gäller en gång, i 10 minuter.
pairing-too-short = Ange alla { $count } tecken i koden.
pairing-button = Parkoppla kassan
pairing-busy = Parkopplar
pairing-failed-connection = Ingen anslutning. Försök igen.
pairing-failed-code = Koden är fel eller har gått ut.
pairing-failed-attempts = För många försök.
pairing-failed = Kassan kunde inte parkopplas. Försök igen.

## Entering an amount

keypad-label = Belopp
keypad-erase = Ta bort siffra
enter-amount = Ange beloppet
note-as-fast-as-scanner = Det här angavs lika snabbt som av en skanner. Kontrollera det och tryck sedan på knappen.
note-press-again = Kontrollera det och tryck sedan på Enter igen.
note-no-decimals = { $currency } har inga decimaler. Decimaltecknet ignorerades.
note-separator = Decimaltecknet ignorerades.
note-too-many-decimals = { $currency } har { $decimals } decimaler. Siffran { $key } ignorerades.
note-second-separator = Ett andra decimaltecken ignorerades.

## When to try again

retry-now = Försök igen nu.
retry-seconds = Försök igen om { $seconds } s.
retry-minutes = Försök igen om { $minutes } min.

## Cards

card-gift-card = Presentkort
card-valid-to = Giltigt till { $date }
card-expired-on = Gick ut { $date }
card-balance = Saldo
card-on-it-now = På kortet nu

## Why something failed

refused-card-not-found = Kortet finns inte. Skanna det igen.
refused-card-blocked = Kortet är spärrat.
refused-card-expired = Kortet har gått ut.
refused-insufficient-funds = Kortets saldo räcker inte.
refused-invalid-amount = Kortnätverket godtar inte beloppet.
refused-offer-not-found = Det här kortet säljs inte längre.
refused-offer-not-available = Det här kortet säljs inte just nu.
refused-rate-limited = Kortnätverket är överbelastat.
refused-merchant-not-active = Företaget är inte aktivt, så inga presentkort kan säljas eller lösas in.
refused-forbidden = Den här kassan får inte göra det. Fråga administratören.
refused-invalid-request = Kortnätverket godtar inte det här.
refused-offer-unreadable = Kortet kan inte säljas förrän det är rättat i instrumentpanelen.
refused-refund-too-large = Det är mer än vad som återstår av inlösningen. En del har redan krediterats.
refused-no-such-redemption = Inlösningen finns inte, så det finns inget att kreditera.
refused-too-many-requests = För många förfrågningar.
refused-not-paired = Kassan är inte längre parkopplad.
refused-unreachable = Kortnätverket kunde inte nås. Försök igen.
refused-by-network = Kortnätverket nekade.

not-sent-offline = Kassan har ingen anslutning. Inget skickades.
not-sent-journal = Enheten kunde inte spara transaktionen, så den skickades inte. Frigör lagringsutrymme och försök sedan igen.
not-sent-busy = Utfallet av en tidigare transaktion är inte känt än, så inget skickades. Se ”I dag”.

look-up-no-connection = Ingen anslutning. Kortet kunde inte slås upp. Försök igen.
look-up-slow = Kortnätverket är långsamt och har inte svarat. Inget ändrades. Försök igen.
look-up-in-use = Kortet används på ett annat ställe.
look-up-failed = Kortet kunde inte slås upp. Inget ändrades. Försök igen.
other-nothing = Det här är inte koden till ett presentkort.
other-link = Det här är en länk som inte leder till något av företagets kort.
other-product = Det här är koden till en vara, inte till ett presentkort.

## Redeem

redeem-card-title = Kort som slutar på { $card }
redeem-expired = Kortet har gått ut. Inget kan dras från det.
redeem-empty = Kortet är tomt.
redeem-blocked = Kortet är spärrat. Inget kan dras från det.
redeem-unknown = Utfallet av en tidigare inlösning är inte känt än. Lös inte in kortet igen förrän det är känt: se ”I dag”.
redeem-whole-card = Använd hela saldot
redeem-total = Köpesumma
redeem-from-card = Från kortet
redeem-left-to-pay = Kvar att betala
redeem-enter-total = Ange köpesumman
redeem-button = Lös in { $amount }

## What was done with a card

history-button = Historik
history-title = Kort { $card }
history-loading = Historiken laddas
history-issued = Utfärdat
history-redeemed = Inlöst
history-given-back = Krediterat
history-unknown = Ännu okänt
history-changed = Ändrat
history-differs = Det här stämmer inte med kortets saldo. Be administratören undersöka det.
history-balance = På kortet nu: { $amount }
history-empty-title = Inget än
history-empty = Det som händer med kortet i dina kassor och i din butik visas här.
history-earlier = Visa tidigare
history-refunded = { $amount } krediterat
history-none = Kortet har ingen historik här.
history-failed = Historiken kunde inte laddas. Inget ändrades.

## Camera and scanner

camera-label = Kamera
camera-title = Visa koden för kameran
camera-hint = Håll den stilla, en handsbredd bort.
camera-failed = Kameran kan inte användas. Tillåt den för sidan eller skriv koden.
camera-type = Skriv koden i stället
scan-scanned = Skannade { $code }
scan-unreadable = Skannade en kod som inte kunde läsas
scan-unchanged = Inget har ändrats på skärmen.
scan-looking = Söker kortet.
scan-another-card = Ett annat kort? Inget har ändrats på skärmen.
scan-find = Sök kortet
scan-was-amount = Det var ett belopp

## Sell

sell-title = Sälj ett presentkort
sell-loading = Presentkorten laddas
sell-failed = Presentkorten kunde inte laddas. Inget ändrades.
sell-empty-title = Inga presentkort till salu
sell-empty = Erbjudanden som är tillgängliga i instrumentpanelen visas här.
sell-credit-title = Ge tillgodokvitto
sell-credit = För returnerade varor. Kunden betalar inget för det. En inlösning krediteras under ”I dag”.
sell-credit-free = Kunden betalar inget för ett tillgodokvitto.
sell-pay-first = Ta betalt först, utfärda sedan kortet.
sell-credit-for-customer = Tillgodokvitto till kunden
sell-to-be-paid = Kunden ska betala
sell-amounts = Belopp
sell-give-button = Ge { $amount } tillgodo
sell-issue-button = Betalt, utfärda { $amount }
price-range = { $min } till { $max }
price-from = { $min } eller mer
price-up-to = Upp till { $max }
price-any = Valfritt belopp
enter-any = Ange ett belopp.
enter-range = Ange ett belopp från { $min } till { $max }.
enter-from = Ange { $min } eller mer.
enter-exactly = Ange { $amount }.
enter-at-most = Ange högst { $amount }.

## How the customer gets the card

delivery-label = Leverans
delivery-on-this-screen = På den här skärmen
delivery-change = Ändra
delivery-title = Hur får kunden kortet?
delivery-screen = På skärm
delivery-email = E-post
delivery-sms = Sms
delivery-show = Visa det här
delivery-send = Skicka det dit
delivery-screen-hint = Koden visas på den här skärmen. Den kan fotograferas, skannas eller skrivas ut.
delivery-email-label = E-postadress
delivery-email-hint = Koden visas även här.
delivery-email-wrong = Ange en adress som { $example }.
delivery-sms-label = Mobilnummer
delivery-sms-hint = Med landskod, till exempel { $example }.
delivery-sms-wrong = Ange ett mobilnummer med landskod.

## A card that was sold

sold-sent = Kortnätverket skickar det till { $address }, en gång.
sold-wrong-address = Fel adress?
sold-wrong-address-help = Det kan inte skickas igen. Visa koden här eller skriv ut den: det är samma kort.
sold-no-code = Kortnätverket gav ingen kod att visa. Sök upp beställningen i instrumentpanelen.
sold-let-scan = Låt kunden fotografera eller skanna koden.
sold-full-screen = Helskärm
sold-print = Skriv ut
sold-code = Presentkortets kod

## Give back

give-back = Kreditera
give-back-no-credit = Företaget har inga tillgodokvitton att ge. Lägg till ett bland erbjudandena i instrumentpanelen.
give-back-all = Allt har redan krediterats.
give-back-loading = Söker vad som kan krediteras
give-back-redeemed = Inlöst från { $card }
give-back-already = Redan krediterat
give-back-at-most = Högst { $amount }.
give-back-continue = Fortsätt
give-back-why = Varför krediteras det?
give-back-explained = Ett nytt kort med { $amount } tillgodo för det som löstes in från { $card }.
give-back-reason = Orsak
give-back-returned = Vara returnerad
give-back-wrong-amount = Fel belopp
give-back-other = Annat
give-back-reason-missing = Ange orsaken.
give-back-choose = Välj en orsak.
give-back-button = Kreditera { $amount }

## What became of a call

outcome-refused = Nekades
outcome-closed = Inte utfört
outcome-not-sent = Inte skickat
outcome-by-hand = Kontrollerat för hand
outcome-unknown = Ännu okänt
outcome-redeemed = { $amount } inlöst
outcome-sold = Presentkort på { $amount } sålt
outcome-credit-given = Tillgodokvitto på { $amount } utfärdat
outcome-nothing-taken = Inget drogs från kortet.
outcome-none-issued = Inget kort utfärdades.
outcome-stopped = Det stoppades och kommer aldrig att utföras.
outcome-connect = Kassan är offline. Anslut den och försök sedan igen.
outcome-found-by-hand = Utfallet utreddes vid kassan:
outcome-late = Svaret kom sent, men det gick igenom.
outcome-amount = Belopp
outcome-card = Kort
outcome-gift-card = Presentkort
outcome-looking = Söker
outcome-still-to-pay = Kvar att betala
outcome-left = Kvar på kortet
outcome-back-to-today = Tillbaka till ”I dag”
outcome-back-to-amount = Tillbaka till beloppet
outcome-pay-rest = Ett annat kort för { $amount }

unknown-redeem = Det är inte känt om { $amount } har dragits från kort { $card } eller inte.
unknown-issue = Det är inte känt om ett presentkort på { $amount } har utfärdats eller inte.
unknown-no-response = Det finns inget svar än.
unknown-no-connection = Kassan har ingen anslutning.
unknown-do-not-redeem = Lös inte in det igen.
unknown-do-not-sell = Sälj det inte igen.
unknown-wait = Be kunden vänta. Den här sidan tar reda på det och säger till.
unknown-final = Portalen kan inte ge besked om utfallet. Jämför kortets saldo och beställningarna i instrumentpanelen.
unknown-other-merchant = Det påbörjades för { $merchant } och kan inte slås upp härifrån.
unknown-some-merchant = Det påbörjades för ett företag som inte är känt och kan inte slås upp härifrån.
unknown-cannot-wait = Om kunden inte kan vänta
unknown-leave-redeem = Ta nästa kund och ta betalt { $total } på annat sätt: det som inte har dragits från kortet då kommer aldrig att dras. Om det drogs visar kassan det under ”I dag”.
unknown-leave-issue = Ta nästa kund: det som inte har utfärdats då kommer aldrig att utfärdas. Om kortet utfärdades finns koden under ”I dag” och kan skickas.
unknown-sent = Skickat
unknown-no-answer = Inget svar
unknown-asked =
    { $count ->
        [0] Inte frågat än
        [1] Frågat en gång, inget svar än
        [2] Frågat två gånger, inget svar än
       *[other] Frågat { $count } gånger, inget svar än
    }
unknown-asks-in = frågar om { $seconds } s
unknown-asks-again-in = igen om { $seconds } s
unknown-asking = frågar
unknown-ask-now = Fråga nu
unknown-next-customer = Ta nästa kund
by-hand = Jag har kontrollerat det
by-hand-found = Vad kom du fram till?
by-hand-hint = Till exempel: saldot är 150,50, så det drogs.
by-hand-missing = Beskriv i en mening vad du kom fram till.

## Today

today-title = I dag
today-empty-title = Inget än
today-empty = Kort som den här kassan säljer och löser in visas här.
today-redeemed = Inlöst
today-sold = Sålt
today-done = Klart
today-redeem-row = Inlösning { $card }
today-sell-row = Försäljning { $offer }
today-give-row = Tillgodokvitto { $offer }
today-earlier-version = Tidigare version

## Receipt, for the till

receipt-print = Skriv ut kvitto
receipt-no-paper = Inget papper? Låt kunden skanna
receipt-page = Sidan frågar efter kortets kod och visar saldot.

## Ticket, receipt and codes: for the customer

qr-gift-card = Presentkortets QR-kod
qr-balance-page = QR-kod till sidan som visar vad som finns kvar på ett kort
paper-label = För utskrift
ticket-valid-to = Giltigt till { $date }
ticket-advice = Visa koden för att betala med den. Förvara den som kontanter: den som har koden kan använda den.
paper-balance = Se kortets saldo:
receipt-title = Betalt med presentkort
receipt-total = Köpesumma
receipt-card = Kort
receipt-left = Kvar på kortet
receipt-reference = Referens
