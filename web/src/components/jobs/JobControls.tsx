import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { abortJob, patchJob } from '../../api/actions'
import type { Job, JobPatch } from '../../api/types'
import { useMay } from '../../api/use-may'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { isWithin, THREADS } from '../../ui/number'
import { NumberInput } from '../../ui/NumberField'
import { Problem } from '../../ui/Problem'
import { t, tIn } from '../../language/text'

/**
 * Change threads, pause or abort a running job, for those who may. A workload can only be aborted, because changes
 * would distort its figures. A truncation cannot be stopped: its records are gone already, and it only makes room.
 */
export function JobControls({ job, aborts: offers }: { job: Job; aborts: boolean }) {
  const may = useMay()
  const place = { namespace: job.namespace, set: job.set }
  const queries = useQueryClient()
  const [threads, setThreads] = useState('')
  const onSuccess = (changed: Job): void => {
    queries.setQueryData(['jobs', job.id], changed)
    void queries.invalidateQueries({ queryKey: ['jobs'] })
  }
  const patch = useMutation({ mutationFn: (body: JobPatch) => patchJob(job.id, body), onSuccess })
  const abort = useMutation({ mutationFn: () => abortJob(job.id), onSuccess })
  const wanted = Number(threads)
  const valid = isWithin(threads, THREADS)
  const stops = job.kind !== 'truncate'
  const changes = stops && job.kind !== 'workload' && may('updateJob', place)
  const aborts = stops && offers && may('abortJob', place)
  if (!changes && !aborts) return null
  return (
    <div className="stack-small">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          if (valid) patch.mutate({ threads: wanted })
        }}
      >
        {changes && (
          <>
            <label className="row mute">
              {t('threads')}
              <NumberInput
                {...THREADS}
                className="small"
                size={5}
                placeholder={String(job.threads)}
                value={threads}
                onChange={setThreads}
              />
            </label>
            <Button type="submit" small disabled={!valid} busy={patch.isPending}>
              {tIn('button', 'Set')}
            </Button>
            <Button small onClick={() => patch.mutate({ paused: job.state !== 'paused' })}>
              <Icon name={job.state === 'paused' ? 'play' : 'pause'} />
              {job.state === 'paused' ? t('Resume') : t('Pause')}
            </Button>
          </>
        )}
        {aborts && (
          <Button small look="danger" busy={abort.isPending} onClick={() => abort.mutate()}>
            {t('Abort')}
          </Button>
        )}
      </form>
      <Problem error={patch.error ?? abort.error} />
    </div>
  )
}
