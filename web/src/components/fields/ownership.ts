import type { Ownership } from '../../api/types'
import { t } from '../../language/text'

/** The three numbers of an ownership as typed. */
export interface OwnershipTexts {
  nodes: string
  owners: string
  self: string
}

export type OwnershipProblems = Partial<Record<keyof OwnershipTexts, string>>

export const textsOf = ({ nodes, owners, self }: Ownership): OwnershipTexts => ({
  nodes: String(nodes),
  owners: String(owners),
  self: String(self),
})

/** Call it only without problems; see `ownershipProblems`. */
export const ownershipOf = ({ nodes, owners, self }: OwnershipTexts): Ownership => ({
  nodes: Number(nodes),
  owners: Number(owners),
  self: Number(self),
})

const whole = (text: string): boolean => /^\d{1,6}$/.test(text)

/** Problems that do not depend on the bounds of the server. */
export function ownershipProblems(texts: OwnershipTexts): OwnershipProblems {
  const { nodes, owners, self } = ownershipOf(texts)
  const known = whole(texts.nodes) && nodes >= 1
  return {
    ...(!known && { nodes: t('A whole number, 1 or more') }),
    ...((!whole(texts.owners) || owners < 1 || (known && owners > nodes)) && {
      owners: known ? t('1 to {nodes}, the number of nodes', { nodes }) : t('A whole number, 1 or more'),
    }),
    ...((!whole(texts.self) || (known && self >= nodes)) && {
      self: known ? t('0 to {nodes}, a node number', { nodes: nodes - 1 }) : t('A whole number, 0 or more'),
    }),
  }
}
