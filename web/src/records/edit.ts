import { type BinField, binsText, fieldsOf, problemOf } from './bins'
import { parseExact } from './json'
import { type Fault, faultOf, faultWords, laidOut } from './json-scan'
import { t } from '../language/text'

export const expiries = [
  { value: '', label: t('keep unchanged') },
  { value: '0', label: t('default of the namespace') },
  { value: '-1', label: t('never expires') },
  { value: 'seconds', label: t('in seconds…') },
] as const
export type Expiry = (typeof expiries)[number]['value']

export const isExpiry = (value: unknown): value is Expiry => expiries.some((one) => one.value === value)

/** What has been typed for a record. Of `fields` and `text`, the one of the view counts. */
export interface Edit {
  view: 'form' | 'json'
  fields: readonly BinField[]
  text: string
  expiry: Expiry
  seconds: string
}

/** Longest JSON of bins that is shown as a form at first, and that is edited at all, characters. */
export const FORM_MOST = 100_000
export const EDIT_MOST = 4_000_000

const emptyField: BinField = { name: '', type: 'string', text: '' }

/** A new record. */
export const emptyEdit: Edit = { view: 'form', fields: [emptyField], text: '', expiry: '0', seconds: '' }

/** The edit that changes nothing; `bins`: a JSON object. */
export function editOf(bins: string): Edit {
  if (bins.length <= FORM_MOST)
    return { view: 'form', fields: fieldsOf(parseExact(bins)), text: '', expiry: '', seconds: '' }
  return { view: 'json', fields: [], text: laidOut(bins, 2), expiry: '', seconds: '' }
}

/** An empty row is no bin. */
export const filledOf = ({ fields }: Edit): BinField[] => fields.filter(({ name, text }) => name + text !== '')

/** How many characters have to be looked at to check an edit. */
export const sizeOf = ({ view, fields, text }: Edit): number =>
  view === 'json' ? text.length : fields.reduce((sum, field) => sum + field.text.length, 0)

/** What is wrong with the bins of an edit. */
export interface Check {
  /** the rows say themselves what is wrong with them */
  rows: boolean
  text: string | undefined
  fault: Fault | undefined
}

/** Nothing is wrong: so it is with what the server has stored. */
export const fine: Check = { rows: false, text: undefined, fault: undefined }

export function checkOf(edit: Edit): Check {
  if (edit.view === 'form') {
    const filled = filledOf(edit)
    return { ...fine, rows: filled.some((field) => problemOf(field, filled) !== undefined) }
  }
  const fault = faultOf(edit.text)
  if (fault !== undefined) return { ...fine, text: faultWords(edit.text, fault), fault }
  return /^\s*\{/.test(edit.text) ? fine : { ...fine, text: t('Enter a JSON object with the bins') }
}

export const isFine = ({ rows, text }: Check): boolean => !rows && text === undefined

/** The JSON object of bins to send, on one line. Call it only if `checkOf` found nothing. */
export const bodyOf = (edit: Edit): string => (edit.view === 'form' ? binsText(filledOf(edit)) : laidOut(edit.text, 0))

/** The same bins in the other view. Call it only if `checkOf` found nothing. */
export function seenAs(edit: Edit, view: Edit['view']): Edit {
  if (view === edit.view) return edit
  const body = bodyOf(edit)
  return view === 'json'
    ? { ...edit, view, text: laidOut(body, 2) }
    : { ...edit, view, fields: fieldsOf(parseExact(body)) }
}

/** Whether an edit says something else than the one it began as. */
export function isChanged(edit: Edit, first: Edit): boolean {
  if (edit.expiry !== first.expiry || edit.seconds !== first.seconds) return true
  if (edit.view === 'json') return edit.text !== first.text
  const rows = filledOf(edit)
  const were = filledOf(first)
  return rows.length !== were.length || rows.some((row, at) => !isSame(row, were[at]))
}

const isSame = (a: BinField, b: BinField | undefined): boolean =>
  a === b || (a.name === b?.name && a.type === b.type && a.text === b.text)

/** The same for the API, in seconds; -2 leaves it as it is. */
export const ttlOf = ({ expiry, seconds }: Edit): number =>
  expiry === '' ? -2 : Number(expiry === 'seconds' ? seconds : expiry)

export const secondsProblem = ({ expiry, seconds }: Edit): string | undefined =>
  expiry !== 'seconds' || /^[1-9]\d*$/.test(seconds) ? undefined : t('A whole number, 1 or more')
