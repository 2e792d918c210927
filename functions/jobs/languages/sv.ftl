# en.ftl says where these messages stand.

## In all mails

greeting = Hej { $name }!
greeting-nobody = Hej!
open-portal = Öppna portalen
somebody = En medlem i teamet
your-account = Ditt företagskonto
unknown-program = okänt program

## A code to sign in

code-subject = Din inloggningskod
code-text = Ange den här koden för att logga in på { $host }:
code-details = Den begärdes kl. { $from } UTC ({ $browser }) och kan användas en gång, fram till kl. { $until } UTC.
code-secret = Behåll koden för dig själv: läs inte upp den för någon och ange den ingen annanstans. Vi frågar aldrig efter den.
code-unexpected = Om du inte har begärt den kan du bortse från det här mejlet: ingen kan logga in utan koden.
codes-off-subject = Dina inloggningskoder är avstängda
codes-off-text = En inloggningskod begärdes kl. { $time } UTC ({ $browser }). Du har stängt av koder: logga in med en passkey.
codes-off-unexpected = Om du inte har begärt den kan du bortse från det här mejlet. Om du har förlorat alla dina passkeys, svara på mejlet.

## An invitation, which its maker confirms

confirm-subject = Bekräfta din inbjudan
confirm-text = Du bjuder in { $person } ({ $email }) till ditt team på { $host }, med följande behörighet:
confirm-enter = Ange den här koden för att bekräfta inbjudan:
confirm-unexpected = Om du inte har bjudit in den här personen kanske någon annan använder din session: ange inte koden någonstans, öppna ditt konto i instrumentpanelen och avsluta alla dina sessioner.
invite-subject = Du har bjudits in till { $shop }
invite-text = { $person } har bjudit in dig att arbeta med { $shop } i företagsportalen, med följande behörighet:
invite-sign-in = Logga in med den här adressen ({ $email }) för att tacka ja:
invite-open = Öppna inbjudan
invite-until = Du kan tacka ja till inbjudan fram till den { $day }.
invite-unexpected = Om du inte känner den här personen kan du bortse från det här mejlet.

## What a member may do: a list

role-admin = Administratör: allt, även teamet
role-full = Full behörighet: allt utom teamet
role-viewer = Läsbehörighet: kan bara läsa
role-other = Medlem
may-nothing = Inget än
may-information = Se och ändra företagets uppgifter
may-organization = Hantera butiker
may-team = Bjuda in till teamet, hantera teamet och kassorna
may-gift-cards = Hantera erbjudanden och slå upp kort
may-analytics = Se statistik
may-reports = Se avräkningar
may-orders = Se beställningar
may-pos = Sälja och lösa in i en kassa

## How one signs in

device-subject = Du loggade in med en ny webbläsare
device-text = Ditt konto användes för att logga in med en ny webbläsare den { $day } kl. { $time } UTC: { $browser }.
device-unexpected = Om det inte var du kan någon läsa din e-post. Logga ut överallt i portalen, säkra ditt e-postkonto och svara på det här mejlet så att vi kan undersöka saken.
passkey-added-subject = En passkey har lagts till
passkey-added = Passkeyn { $name } lades till i ditt konto den { $day } kl. { $time } UTC. Den kan nu användas för att logga in.
passkey-removed-subject = En passkey har tagits bort
passkey-removed = Passkeyn { $name } togs bort från ditt konto den { $day } kl. { $time } UTC, och du loggades ut överallt.
passkey-removed-codes-on = Du kan logga in med koder via e-post igen, eftersom du annars kunde bli utelåst om du förlorade en enda enhet.
passkey-refused-subject = En passkey nekades
passkey-refused = En inloggning med passkeyn { $name } nekades den { $day } kl. { $time } UTC, eftersom det kan finnas en kopia av den.
passkey-refused-advice = Ta bort passkeyn i portalen, såvida du inte känner till kopian.
codes-turned-off-subject = Inloggningskoder är avstängda
codes-turned-off = Koder via e-post stängdes av för ditt konto den { $day } kl. { $time } UTC: det går bara att logga in med dina passkeys.
codes-turned-on-subject = Inloggningskoder är påslagna
codes-turned-on = Koder via e-post slogs på igen för ditt konto den { $day } kl. { $time } UTC.
codes-turned-on-by-platform = Plattformen slog på koder via e-post igen för ditt konto den { $day } kl. { $time } UTC, eftersom någon har meddelat oss att du har förlorat dina passkeys.
sign-in-unexpected = Om det inte var du kan någon annan använda ditt konto. Logga ut överallt i portalen, säkra ditt e-postkonto och svara på det här mejlet så att vi kan undersöka saken.

## The merchant's account

account-subject = Ditt företags uppgifter har ändrats
account-text = Uppgifterna om { $shop } ändrades den { $day } kl. { $time } UTC, från ditt konto eller med en API-nyckel som du har skapat.
account-text-nameless = Uppgifterna i ditt företagskonto ändrades den { $day } kl. { $time } UTC, från ditt konto eller med en API-nyckel som du har skapat.
account-what = Ändringen kan gälla företagets namn eller nummer, dess webbplats, logotyp eller tidszon. Se de aktuella uppgifterna:
account-unexpected = Om det inte var du, säg till en administratör i ditt team och svara på det här mejlet så att vi kan undersöka saken.
verify-subject = Verifiera ditt företag för att fortsätta
verify-text = Tack, vi har tagit emot ansökan från { $shop }.
verify-text-nameless = Tack, vi har tagit emot ansökan från ditt företag.
verify-next = Nästa steg är att verifiera företaget och de personer som driver det. Det gör vår verifieringspartner på sin egen sida:
verify-open = Verifiera företaget
verify-time = Det tar några minuter. Ha en id-handling och företagets registreringsbevis till hands. Så snart vi vet resultatet visas det i portalen.
verify-unexpected = Om du inte har skickat någon ansökan, följ inte länken utan svara på det här mejlet så att vi kan undersöka saken.
status-subject = Statusen för ditt företagskonto har ändrats
status-active = { $shop } är aktivt.
status-active-means = Dina kassor kan sälja och lösa in presentkort.
status-suspended = { $shop } är spärrat.
status-suspended-means = Tills vidare kan presentkort varken säljas eller lösas in.
status-closed = { $shop } är avslutat.
status-closed-means = Presentkort kan inte längre säljas eller lösas in.
status-declined = { $shop } har fått avslag.
status-declined-means = Vi kan inte godkänna ditt företags ansökan.
status-waiting = { $shop } väntar på mer information.
status-waiting-means = Vi kan inte fatta beslut om din ansökan än. Komplettera den i portalen och skicka in den igen.
status-draft = { $shop } är ett utkast.
status-draft-means = Slutför ansökan i portalen och skicka in den.
status-review = { $shop } granskas.
status-review-means = Vi meddelar dig så snart vi har fattat beslut om din ansökan.
status-questions = Om du har frågor, svara på det här mejlet.
image-subject = En bild på dina presentkort har tagits bort
image-text = Vi har tagit bort en bild som { $shop } hade publicerat: { $image }
image-means = Den har raderats och syns inte längre. Presentkort som visar den behöver en annan bild.
image-unexpected = Om du tror att det här är ett misstag, svara på det här mejlet.

## News of the team, to its administrators

joined-subject = Någon har gått med i teamet hos { $shop }
joined = { $person } ({ $email }) gick med i teamet hos { $shop } den { $day } kl. { $time } UTC.
joined-unexpected = Om ingen av er har bjudit in den här personen, ta bort personen i instrumentpanelen.
left-subject = Någon har lämnat teamet hos { $shop }
left = { $person } ({ $email }) lämnade teamet hos { $shop } den { $day } kl. { $time } UTC.
removed-subject = Någon har tagits bort från teamet hos { $shop }
removed = { $person } ({ $email }) togs bort från teamet hos { $shop } den { $day } kl. { $time } UTC.
administrator-subject = { $shop } har en ny administratör
administrator = { $person } ({ $email }) blev administratör för { $shop } den { $day } kl. { $time } UTC.
team-open = Se teamet
team-unexpected = Om det här inte är som det ska, kontrollera teamet och dess aktivitet i instrumentpanelen.
till-subject = En kassa har parkopplats med { $shop }
till-text = Kassan { $till } i butiken { $store } parkopplades den { $day } kl. { $time } UTC. Den kan sälja och lösa in presentkort hos { $shop }.
till-open = Se alla kassor
till-unexpected = Om du inte känner igen kassan, återkalla den i instrumentpanelen: då slutar den fungera omedelbart.

## News of keys, which let a program call the API

key-created-subject = En API-nyckel har skapats för { $shop }
key-created = { $person } skapade API-nyckeln { $key } för { $shop } den { $day } kl. { $time } UTC.
key-rotated-subject = En API-nyckel har förnyats hos { $shop }
key-rotated = { $person } bytte ut hemligheten för API-nyckeln { $key } hos { $shop } den { $day } kl. { $time } UTC.
key-reads = Med den kan ett program läsa det som de här behörigheterna omfattar: { $permissions }. Nyckeln går ut den { $day } kl. { $time } UTC.
key-writes = Med den kan ett program läsa och ändra det som de här behörigheterna omfattar: { $permissions }. Nyckeln går ut den { $day } kl. { $time } UTC.
key-unexpected = Om du inte känner igen nyckeln, återkalla den i instrumentpanelen: då slutar den fungera omedelbart.
key-ending-subject = En API-nyckel hos { $shop } upphör snart att gälla
key-ending = API-nyckeln { $key } hos { $shop } upphör att gälla den { $day } kl. { $time } UTC: { $person }, som skapade den, har lämnat teamet eller kan inte längre bevilja dess behörigheter.
key-expiring-subject = En API-nyckel går snart ut hos { $shop }
key-expiring = API-nyckeln { $key } hos { $shop } går ut den { $day } kl. { $time } UTC.
key-rotate = Om nyckeln fortfarande behövs kan någon som har dess behörigheter förnya den i instrumentpanelen innan dess och ge programmet den nya hemligheten. Annars behöver inget göras.
key-revoked-subject = En API-nyckel har återkallats hos { $shop }
key-revoked = Plattformen återkallade API-nyckeln { $key } hos { $shop } den { $day } kl. { $time } UTC: andra kanske känner till den. Program som fortfarande använder den nekas.
key-replace = Skapa en ny API-nyckel i instrumentpanelen och ta reda på var den gamla har publicerats.
key-open = Se alla API-nycklar

## News of webhooks

webhook-set-subject = En webhook-slutpunkt har angetts för { $shop }
webhook-set = { $person } ställde in { $host } den { $day } kl. { $time } UTC för att ta emot de här meddelandena från { $shop }, och inga andra: { $events }.
webhook-set-unexpected = Om du inte känner igen adressen, eller om ett meddelande saknas, be din utvecklare att ändra eller ta bort slutpunkten.
webhook-deleted-subject = En webhook-slutpunkt har tagits bort för { $shop }
webhook-deleted = { $person } tog bort slutpunkten { $host } den { $day } kl. { $time } UTC. Inget mer skickas till den.
webhook-disabled-subject = Meddelanden från { $shop } levereras inte längre
webhook-gone = Sedan den { $day } kl. { $time } UTC har inget skickats från { $shop } till { $host }: slutpunkten har svarat att den inte vill ha fler meddelanden.
webhook-failing = Sedan den { $day } kl. { $time } UTC har inget skickats från { $shop } till { $host }: slutpunkten har inte tagit emot något meddelande på fem dagar.
webhook-enable = Nya meddelanden sparas i tre dagar. Be din utvecklare att aktivera slutpunkten när den fungerar igen.
webhook-open = Se alla slutpunkter
