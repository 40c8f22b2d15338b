import { queryOptions } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { eventLog } from '../live/event-log'
import { alertMark, readFrame } from '../live/frame'
import { call } from './client'

/** The events of a span of time go to `eventLog`. The rest of the history is asked for as little as it can be. */
export const eventsQuery = (fromMs: number, toMs: number, namespace: string) =>
  queryOptions({
    queryKey: ['events', fromMs, toMs, namespace],
    queryFn: async () => {
      const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
      const { items } = await call(api.getHistory, { query: { ...range, namespace, op: 'index-lookup' } })
      const marks = items.flatMap((item) => readFrame(item).marks)
      eventLog.add(marks)
      return marks.length
    },
    staleTime: Infinity,
  })

/** What fired and ended goes to `eventLog`, too. */
export const alertMarksQuery = () =>
  queryOptions({
    queryKey: ['alerts', 'events', 'marks'],
    queryFn: async () => {
      const { items } = await call(api.listAlertEvents, { query: { limit: 200 } })
      eventLog.add(items.filter(({ kind }) => kind !== 'test').map(alertMark))
      return items.length
    },
    staleTime: Infinity,
  })
