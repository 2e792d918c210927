# gift-card-widget.js has these messages in English.

heading = ギフトカード
card = ギフトカード
choose = { $amount }を選ぶ
enter = 金額を入力
amount = 金額（{ $currency }）
amounts = { $card }：金額
chosen = 選択済み：{ $choice }
none = ギフトカードはまだありません。ここに表示されます。
failed = ギフトカードを読み込めませんでした。変更はありません。
retry = もう一度試す
