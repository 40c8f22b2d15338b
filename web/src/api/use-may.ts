import { useQuery } from '@tanstack/react-query'
import { type May, mayDo } from './may'
import { meQuery } from './queries'

/** Tells what the signed-in caller may do. */
export function useMay(): May {
  const me = useQuery(meQuery()).data
  return (operation, place) => mayDo(me, operation, place)
}
