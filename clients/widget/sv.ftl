# gift-card-widget.js has these messages in English.

heading = Presentkort
card = Presentkort
choose = Välj { $amount }
enter = Ange ett belopp
amount = Belopp i { $currency }
amounts = { $card }: belopp
chosen = Valt: { $choice }
none = Inga presentkort än. De kommer att visas här.
failed = Presentkorten kunde inte hämtas. Inget har ändrats.
retry = Försök igen
