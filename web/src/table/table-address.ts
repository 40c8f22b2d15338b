import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { inPlace, textOf } from '../search'
import { type Sort, sortOf, sortText } from './sort'

/** What a list keeps in the address of its page. */
export interface TableAddress {
  asked: string
  /** as the reader has chosen it */
  sort: Sort | undefined
  ask: (text: string) => void
  order: (sort: Sort) => void
}

/**
 * The search and the order of a list, in the parameters `q` and `order`. On a page with several lists the others have a
 * `prefix`: `tokens.q`.
 */
export function useTableAddress(prefix: string): TableAddress {
  const own = prefix === '' ? '' : `${prefix}.`
  const navigate = useNavigate()
  const asked = useRouterState({ select: ({ location }) => paramOf(location.search, `${own}q`) }) ?? ''
  const order = useRouterState({ select: ({ location }) => paramOf(location.search, `${own}order`) })
  const put = useCallback(
    (name: string, value: string | undefined) =>
      void navigate({ to: '.', search: (old) => ({ ...old, [name]: value }), ...inPlace }),
    [navigate],
  )
  return useMemo(
    () => ({
      asked,
      sort: sortOf(order),
      ask: (text) => put(`${own}q`, text === '' ? undefined : text),
      order: (sort) => put(`${own}order`, sortText(sort)),
    }),
    [asked, order, own, put],
  )
}

const paramOf = (search: object, name: string): string | undefined =>
  textOf((search as Readonly<Record<string, unknown>>)[name])
