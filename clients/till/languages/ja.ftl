# What the first screen of the till says. The rest is beside it, in the file whose name ends in -later.
# README.md says how to add a message or a language. Amounts, dates and names come as they are shown.

document-title = レジ
tabs-label = レジ
tab-redeem = 利用
tab-sell = 販売
tab-today = 本日
# Read aloud after the number beside "Today".
tab-open-calls = 結果未確認
frame-back = 戻る
frame-online = オンライン
frame-offline = オフライン
dismiss = 閉じる
cancel = キャンセル

redeem-title = ギフトカードを利用する
redeem-rest = 別のカードでのお支払い残額：{ $amount }
redeem-camera = カメラでスキャン
redeem-code = カードのコード
redeem-code-hint = ハンドスキャナーはいつでも使えます。
redeem-code-missing = カードのコードを入力するか、スキャンしてください。
redeem-find = カードを照会
redeem-finding = カードを照会中
