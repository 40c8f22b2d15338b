import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { CurlLine } from '../../components/CurlLine'
import { NoNamespace } from '../../components/namespaces/NoNamespace'
import { useDefaultNamespace } from '../../components/namespaces/use-default-namespace'
import { useStatusPart } from '../../components/use-status'
import { useUnsaid } from '../../components/fields/use-unsaid'
import { inPlace } from '../../search'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { ExportCard } from './ExportCard'
import { FileDrop } from './FileDrop'
import { MappingCard } from './mapping/MappingCard'
import { emptyMapping, guessMapping, importHeaders, importPath, mappingProblem } from './mapping/mapping'
import { MappingTable } from './mapping/MappingTable'
import { dryRunPart, sampleOf, type Sample } from './mapping/sample'
import { SampleEventsCard } from './SampleEventsCard'
import { SampleTable } from './mapping/SampleTable'
import { UploadCard } from './upload/UploadCard'
import { useUpload } from './upload/use-upload'
import { WaitingUploads } from './upload/WaitingUploads'
import { t } from '../../language/text'

/** Imports a file: preview, mapping, dry run, import. Also exports data, for those who may not import that alone. */
export function ImportPage() {
  const search = useSearch({ from: '/import' })
  const navigate = useNavigate({ from: '/import' })
  const ns = useDefaultNamespace(search.ns)
  const imports = useMay()('importRecords', { namespace: ns })
  const cpus = useStatusPart(({ cpus }) => cpus) ?? 1
  const [file, setFile] = useState<File>()
  const [sample, setSample] = useState<Sample>()
  const [mapping, setMapping] = useState(emptyMapping)
  const [error, setError] = useState<unknown>()
  const [unsaid, report] = useUnsaid()
  const { state, jobId, job, start, goOn, pause, abort } = useUpload()

  const choose = async (next: File): Promise<void> => {
    setFile(next)
    setError(undefined)
    try {
      const read = await sampleOf(next)
      setSample(read)
      setMapping((old) => ({ ...emptyMapping, threads: old.threads, ...guessMapping(next.name, read) }))
    } catch (reason) {
      setSample(undefined)
      setError(reason)
    }
  }
  const busy = state.phase === 'running'
  const problem =
    sample === undefined
      ? undefined
      : (mappingProblem(sample, mapping) ?? (unsaid ? t('Complete the mapping') : undefined))
  const run = async (dryRun: boolean): Promise<void> => {
    if (file === undefined || sample === undefined || ns === undefined || problem !== undefined) return
    const body = dryRun ? await dryRunPart(file, sample) : file
    const path = importPath(ns, sample, mapping, cpus, dryRun)
    start({ ns, set: mapping.set, path, body, file: file.name, headers: importHeaders(sample), dryRun })
  }
  if (ns === '')
    return (
      <Page title={t('Import & export')}>
        <NoNamespace toDo={t('load a file into it')} />
      </Page>
    )
  if (ns === undefined)
    return (
      <Page title={t('Import & export')}>
        <Card>
          <Skeleton lines={6} />
        </Card>
      </Page>
    )
  if (!imports)
    return (
      <Page title={t('Import & export')}>
        <ExportCard ns={ns} />
        <RoleNeeded what={t('Importing')} operation="importRecords" />
      </Page>
    )
  return (
    <Page title={t('Import & export')}>
      <div className="with-form">
        <div className="stack">
          <FileDrop file={file} disabled={busy} onFile={(next) => void choose(next)} />
          {sample !== undefined && file !== undefined && (
            <MappingCard
              ns={ns}
              sample={sample}
              mapping={mapping}
              cpus={cpus}
              busy={busy}
              problem={problem}
              onNamespace={(next) => void navigate({ search: { ns: next }, ...inPlace })}
              onMapping={(part) => setMapping({ ...mapping, ...part })}
              onDryRun={() => void run(true)}
              onImport={() => void run(false)}
            />
          )}
        </div>
        <div className="stack">
          <Problem error={error} />
          <UploadCard
            state={state}
            jobId={jobId}
            job={job}
            problem={problem}
            onPause={pause}
            onAbort={abort}
            onImport={() => void run(false)}
          />
          {!busy && <WaitingUploads own={state.phase === 'broken' ? jobId : undefined} file={file} onGoOn={goOn} />}
          {sample !== undefined && file !== undefined && (
            <>
              {!mapping.asExport && (
                <MappingTable
                  key={`${file.name} ${file.size} ${file.lastModified}`}
                  sample={sample}
                  mapping={mapping}
                  onMapping={(part) => setMapping({ ...mapping, ...part })}
                  onUnsaid={report}
                />
              )}
              <SampleTable sample={sample} mapping={mapping} />
              <Card title={t('From the command line')}>
                <CurlLine
                  method="POST"
                  path={importPath(ns, sample, mapping, cpus, false)}
                  headers={importHeaders(sample)}
                  file={file.name}
                />
              </Card>
            </>
          )}
          {file === undefined && <SampleEventsCard ns={ns} />}
          <ExportCard ns={ns} />
        </div>
      </div>
    </Page>
  )
}
