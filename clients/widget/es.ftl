# gift-card-widget.js has these messages in English.

heading = Tarjetas regalo
card = Tarjeta regalo
choose = Elegir { $amount }
enter = Introducir un importe
amount = Importe en { $currency }
amounts = { $card }: importe
chosen = Su elección: { $choice }
none = Todavía no hay tarjetas regalo. Aparecerán aquí.
failed = No se pudieron cargar las tarjetas regalo. No se cambió nada.
retry = Reintentar
