import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { runningJobsQuery } from '../../../api/queries'
import type { Job } from '../../../api/types'
import { useJobPart } from '../../../components/jobs/use-job'
import { Button } from '../../../ui/Button'
import { Progress } from '../../../ui/Progress'
import { t } from '../../../language/text'

/** A shorter search ends before its progress could be read, milliseconds. */
const SHOWN_AFTER_MS = 400
const POLL_MS = 500

interface Props {
  ns: string
  set: string
  /** records found so far */
  found: number
  reading: boolean
  stopped: boolean
  /** the job of the page that is being read, once records were found */
  job: string | undefined
  onStop: () => void
  onGoOn: () => void
  /** in its place while nothing takes its time */
  children: ReactNode
}

/** A search that takes its time: what it has found, how far it is, and a way to end it. */
export function SearchProgress({ reading, stopped, children, ...rest }: Props) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!reading) return
    const timer = setTimeout(() => setSlow(true), SHOWN_AFTER_MS)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [reading])
  const { found, onStop, onGoOn } = rest
  if (stopped)
    return (
      <div className="row search-progress" role="status">
        <span>
          {t('You stopped the search. {found, plural, one {# record} other {# records}} found so far.', { found })}
        </span>
        <Button small onClick={onGoOn}>
          {t('Search on')}
        </Button>
      </div>
    )
  if (!reading || !slow) return children
  return (
    <div className="row search-progress">
      <span role="status">
        {t('Searching: {found, plural, one {# record} other {# records}} found so far.', { found })}
      </span>
      <Scanned {...rest} />
      <Button small onClick={onStop}>
        {t('Stop')}
      </Button>
    </div>
  )
}

interface Part {
  done: number
  total: number | undefined
}

const partOf = ({ done, total }: Job): Part => ({ done, total })

/** How many records were checked. Before the first one is found, its job is known only if no other query runs on the set. */
function Scanned({ ns, set, job }: Pick<Props, 'ns' | 'set' | 'job'>) {
  const own = useJobPart(job, partOf)
  const { data } = useQuery({ ...runningJobsQuery(), enabled: job === undefined, refetchInterval: POLL_MS })
  const running = data?.items.filter((one) => one.kind === 'query' && one.namespace === ns && one.set === set) ?? []
  const [only] = running
  const part = own ?? (job === undefined && running.length === 1 && only !== undefined ? partOf(only) : undefined)
  if (part?.total === undefined || part.total === 0) return null
  return <Progress label={t('Records checked')} done={part.done} total={part.total} tone="good" />
}
