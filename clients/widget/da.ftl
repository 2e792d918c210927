# gift-card-widget.js has these messages in English.

heading = Gavekort
card = Gavekort
choose = Vælg { $amount }
enter = Indtast et beløb
amount = Beløb i { $currency }
amounts = { $card }: beløb
chosen = Valgt: { $choice }
none = Ingen gavekort endnu. De vil blive vist her.
failed = Gavekortene kunne ikke indlæses. Intet blev ændret.
retry = Prøv igen
