import { TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'

const accents: Readonly<Record<string, string>> = Object.fromEntries(
  [...'aäbƀcçdđeéfƒgğhĥiïjĵkķlĺmɱnñoöpþqǫrŕsštťuüvṽwŵxẋyýzž'.matchAll(/(.)(.)/gu)].map(([, plain, accented]) => [
    plain,
    accented,
  ]),
)

/** Stands for a translation: accents on each letter, about a third longer, and in brackets. */
export const pseudo = (message: readonly MessageFormatElement[]): MessageFormatElement[] => [
  literal('⟦'),
  ...message.map(strange),
  literal('⟧'),
]

function strange(element: MessageFormatElement): MessageFormatElement {
  if (element.type === TYPE.literal) return literal(stretched(element.value))
  if (element.type === TYPE.tag) return { ...element, children: element.children.map(strange) }
  if (element.type === TYPE.plural || element.type === TYPE.select) {
    const options = Object.entries(element.options).map(([name, option]) => [
      name,
      { ...option, value: option.value.map(strange) },
    ])
    return { ...element, options: Object.fromEntries(options) as never }
  }
  return element
}

// Vowels are said twice, which is about a third of a text.
const stretched = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const small = accents[letter.toLowerCase()] ?? letter
    const one = letter === letter.toLowerCase() ? small : small.toUpperCase()
    return /[aeiou]/i.test(letter) ? one + small : one
  })

const literal = (value: string): MessageFormatElement => ({ type: TYPE.literal, value })
