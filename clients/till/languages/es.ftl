# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = Caja
tabs-label = Caja
tab-redeem = Canjear
tab-sell = Vender
tab-today = Hoy
# Read aloud after the number beside "Today".
tab-open-calls = aún no se sabe
frame-back = Atrás
frame-online = En línea
frame-offline = Sin conexión
dismiss = Ocultar
cancel = Cancelar

redeem-title = Canjear una tarjeta regalo
redeem-rest = Queda por pagar con otra tarjeta: { $amount }
redeem-camera = Escanear con la cámara
redeem-code = Código de la tarjeta
redeem-code-hint = Un lector de mano funciona en todo momento.
redeem-code-missing = Introduzca el código de la tarjeta o escanéelo.
redeem-find = Buscar tarjeta
redeem-finding = Buscando la tarjeta
