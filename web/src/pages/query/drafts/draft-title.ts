import { opLabels } from '../../../records/request/filter'
import { memberText, readRequest } from '../../../records/request/request'
import { columnsOf, groupOf, setOf } from '../../../records/request/request-fields'
import { readWhere, type WhereGroup, type WhereNode } from '../../../records/request/where'
import { t } from '../../../language/text'

/** Longest title, and longest value in one, characters. */
const TITLE = 48
const VALUE = 24

/** The title of an unnamed query: the beginning of its condition, or else another part. */
export function titleOf(text: string | undefined): string {
  if (text === undefined) return '…'
  const request = readRequest(text)
  if (request === undefined) return cut(text.trim().replaceAll(/\s+/g, ' '), TITLE) || t('Empty')
  const condition = groupWords(readWhere(memberText(request, 'where')))
  if (condition !== '') return cut(condition, TITLE)
  const set = setOf(memberText(request, 'set')) ?? ''
  const keys = namesOf(groupOf(memberText(request, 'group'))?.by)
  if (keys !== '') return cut(set === '' ? t('by {keys}', { keys }) : t('{set} by {keys}', { set, keys }), TITLE)
  const columns = namesOf(columnsOf(memberText(request, 'select')))
  return (
    cut(columns !== '' && set !== '' ? t('{columns} of {set}', { columns, set }) : columns || set, TITLE) ||
    t('New query')
  )
}

const namesOf = (columns: readonly { bin: string; path: string }[] | undefined): string =>
  (columns ?? []).map(({ bin, path }) => place(bin, path)).join(', ')

function groupWords(group: WhereGroup | undefined): string {
  if (group === undefined) return ''
  const words = group.nodes.map(nodeWords).join(` ${group.join} `)
  if (!group.not || words === '') return words
  return group.nodes.length > 1 ? t('not ({words})', { words }) : t('not {words}', { words })
}

function nodeWords(node: WhereNode): string {
  if (node.kind === 'json') return node.text
  if (node.kind === 'group') return node.nodes.length > 1 && !node.not ? `(${groupWords(node)})` : groupWords(node)
  const { bin, path, op, value } = node.row
  // Show "= equals" as its sign.
  const said = opLabels[op]
  const sign = /^[^a-z]/.test(said) ? said.slice(0, 1) : said
  return [place(bin, path), sign, cut(value, VALUE)].filter(Boolean).join(' ')
}

const place = (bin: string, path: string): string => (path === '' ? bin : `${bin}.${path}`)

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)
