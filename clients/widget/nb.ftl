# gift-card-widget.js has these messages in English.

heading = Gavekort
card = Gavekort
choose = Velg { $amount }
enter = Tast inn et beløp
amount = Beløp i { $currency }
amounts = { $card }: beløp
chosen = Valgt: { $choice }
none = Ingen gavekort ennå. De vil vises her.
failed = Gavekortene kunne ikke lastes inn. Ingenting ble endret.
retry = Prøv igjen
