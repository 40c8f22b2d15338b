import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { giveUpImport } from '../../../api/actions'
import { importProgressQuery, jobsOfKindQuery } from '../../../api/queries'
import type { ImportProgress } from '../../../api/types'
import { useRefreshNamespaces } from '../../../components/jobs/use-job'
import { clock } from '../../../format'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Progress } from '../../../ui/Progress'
import { toast } from '../../../ui/toast'
import type { Rest } from './use-upload'
import { arrivedWords, goneWords, restProblem, waitingImports } from './waiting'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

interface Props {
  /** the import that this page began, if it broke off */
  own: string | undefined
  /** the file that is chosen */
  file: File | undefined
  onGoOn: (rest: Rest) => void
}

const POLL_MS = 1000

/** Uploads that broke off, with their progress, to resume or give up. */
export function WaitingUploads({ own, file, onGoOn }: Props) {
  const { data, isFetchedAfterMount } = useQuery({
    ...jobsOfKindQuery('import'),
    staleTime: 0,
    refetchInterval: 2 * POLL_MS,
  })
  // The cached job may be outdated: the upload may have been resumed and ended since.
  const waiting = isFetchedAfterMount ? waitingImports(data?.items ?? []).map(({ id }) => id) : []
  const ids = [...new Set([...(own === undefined ? [] : [own]), ...waiting])]
  return ids.map((id) => <WaitingUpload key={id} jobId={id} own={id === own} file={file} onGoOn={onGoOn} />)
}

interface UploadProps {
  jobId: string
  /** this page began it */
  own: boolean
  file: File | undefined
  onGoOn: (rest: Rest) => void
}

function WaitingUpload({ jobId, own, file, onGoOn }: UploadProps) {
  const refresh = useRefreshNamespaces()
  const queries = useQueryClient()
  const giveUp = useMutation({
    mutationFn: () => giveUpImport(jobId),
    // Stop polling an upload that was given up, because it would now fail.
    onMutate: () => queries.cancelQueries({ queryKey: importProgressQuery(jobId).queryKey }),
    onSuccess: () => {
      toast(t('Upload given up. Stored rows stay'))
      refresh()
    },
  })
  const { data, error } = useQuery({
    ...importProgressQuery(jobId),
    enabled: giveUp.isIdle || giveUp.isError,
    staleTime: 0,
    refetchInterval: ({ state }) => (goneWords(state.error) === undefined ? POLL_MS : false),
  })
  const gone = goneWords(error)
  // An upload of this page stays listed. Another one may not be resumable any more.
  if (giveUp.isSuccess || (!own && (gone !== undefined || data === undefined))) return null
  const problem = data === undefined ? undefined : restProblem(data, file)
  return (
    <Card title={t('Upload broke off')} aside={<JobLink id={jobId} />}>
      <div className="stack-small">
        {gone !== undefined && <p role="status">{gone}</p>}
        {gone === undefined && error !== null && <p role="status">{t('The gateway does not answer. Retrying.')}</p>}
        {gone === undefined && data !== undefined && (
          <>
            {data.totalBytes !== undefined && (
              <Progress label={t('Received')} done={data.receivedBytes} total={data.totalBytes} />
            )}
            <Words progress={data} />
            {problem !== undefined && <p className="mute">{problem}</p>}
            <Problem error={giveUp.error} />
            <div className="row">
              <Button
                look="primary"
                disabled={problem !== undefined || error !== null || file === undefined}
                onClick={() => {
                  if (file !== undefined) onGoOn({ progress: data, file })
                }}
              >
                {t('Resume')}
              </Button>
              <Button look="danger" busy={giveUp.isPending} onClick={() => giveUp.mutate()}>
                {t('Give up')}
              </Button>
            </div>
          </>
        )}
      </div>
    </Card>
  )
}

const JobLink = ({ id }: { id: string }) => (
  <Link to="/jobs" search={{ id }}>
    {t('show the job')}
  </Link>
)

function Words({ progress }: { progress: ImportProgress }) {
  const { namespace, set, state, waitsUntil } = progress
  return (
    <>
      <p>
        <Say
          text="Into <code>{set}</code>: <part>{progress}</part>."
          values={{
            set: set === undefined || set === '' ? namespace : `${namespace}.${set}`,
            part: (parts) => <span className="num">{parts}</span>,
            progress: arrivedWords(progress),
          }}
        />
      </p>
      {state === 'interrupted' && (
        <p className="mute">
          {t('The server was stopped meanwhile. The file is sent again from the beginning; stored rows are skipped.')}
        </p>
      )}
      {waitsUntil !== undefined && (
        <p className="mute">
          {t('The gateway waits for the rest until {waitsUntil}.', { waitsUntil: clock(Date.parse(waitsUntil)) })}
        </p>
      )}
    </>
  )
}
