import { useQuery } from '@tanstack/react-query'
import { changesSomething, type May, mayDo } from './may'
import { meQuery } from './queries'
import { useReadOnly } from './use-read-only'

/** Tells what the signed-in caller may do on this server as it is. */
export function useMay(): May {
  const me = useQuery(meQuery()).data
  const isReadOnly = useReadOnly()
  return (operation, place) => !(isReadOnly === true && changesSomething(operation)) && mayDo(me, operation, place)
}
