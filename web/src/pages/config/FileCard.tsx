import { useMutation, useQueryClient } from '@tanstack/react-query'
import { reloadServerConfig, serverConfigQuery } from '../../api/server-config'
import type { ReloadReport, ServerConfig } from '../../api/types'
import { useMay } from '../../api/use-may'
import { CurlLine } from '../../components/CurlLine'
import { shown } from '../../components/config/ChangeList'
import { Say } from '../../language/Say'
import { t } from '../../language/text'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'

/** The file that the settings come from, whether it is as the server has read it, and the way to read it again. */
export function FileCard({ file }: { file: ServerConfig['file'] }) {
  const may = useMay()('reloadServerConfig')
  const queries = useQueryClient()
  const reload = useMutation({
    mutationFn: reloadServerConfig,
    // The revisions are below the same key.
    onSettled: () => queries.invalidateQueries({ queryKey: serverConfigQuery().queryKey }),
  })
  if (file === undefined)
    return (
      <Card title={t('File')}>
        <p>
          <Say
            text="This server uses no configuration file, so nothing can change here. Start it with <code>{flag}</code>; the file may be <code>{empty}</code>."
            values={{ flag: '--config FILE', empty: '{}' }}
          />
        </p>
      </Card>
    )
  return (
    <Card
      title={t('File')}
      aside={<code>{file.path}</code>}
      end={
        may && (
          <Button small busy={reload.isPending} onClick={() => reload.mutate()}>
            {t('Reload')}
          </Button>
        )
      }
    >
      <div className="stack">
        <FileState file={file} />
        <Problem error={reload.error} />
        {reload.data !== undefined && <Answer report={reload.data} />}
        {may && <CurlLine method="POST" path="/api/v1/config/reload" />}
      </div>
    </Card>
  )
}

function FileState({ file: { changed, writable, fault } }: { file: NonNullable<ServerConfig['file']> }) {
  if (fault !== undefined)
    return (
      <div className="note bad" role="status">
        {t('The file is wrong, so a reload would be refused: {fault}', { fault })}
      </div>
    )
  if (changed)
    return (
      <div className="note warn" role="status">
        {t('The file was changed outside. Reload it before you change settings here.')}
      </div>
    )
  if (!writable)
    return (
      <div className="note warn" role="status">
        {t('The server may not write the file or its folder, so nothing can change here.')}
      </div>
    )
  return <p className="mute">{t('The file is as the server has read it.')}</p>
}

function Answer({ report: { changes, needRestart } }: { report: ReloadReport }) {
  return (
    <div className="stack-small" role="status">
      <p>
        {changes.length === 0
          ? t('The file was read again. Nothing changed.')
          : t('The file was read again. {n, plural, one {# setting} other {# settings}} changed.', {
              n: changes.length,
            })}
      </p>
      {changes.length > 0 && (
        <div className="diff">
          {changes.map(({ field, from, to }) => (
            <div key={field}>
              <code>{field}</code> <del>{shown(from)}</del> <ins>{shown(to)}</ins>
            </div>
          ))}
        </div>
      )}
      {needRestart.length > 0 && (
        <p>{t('These need a restart to change: {settings}', { settings: needRestart.join(', ') })}</p>
      )}
    </div>
  )
}
