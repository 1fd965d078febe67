import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { metricsIn } from '../../test/support/monitoring-files';
import { loadConfig } from './app-config';
import { VARIABLES } from './variables';

const FOLDER = join(__dirname, '../../deploy/kustomize');

type Labels = Record<string, string>;
interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  args: string[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  securityContext: object;
  resources: { requests: Labels; limits: Labels };
  volumeMounts: { mountPath: string }[];
}
interface PodTemplate {
  metadata: { labels: Labels };
  spec: {
    terminationGracePeriodSeconds?: number;
    securityContext: { runAsNonRoot: boolean };
    volumes: { secret?: { secretName: string } }[];
    containers: [Container];
  };
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: {
    template: PodTemplate;
    selector: Labels & { matchLabels?: Labels };
    podSelector: { matchLabels?: Labels; matchExpressions?: { values: string[] }[] };
    ingress: { ports: { port: number }[] }[];
    ports: { targetPort: string }[];
    scaleTargetRef: { name: string };
    triggers: { metadata: { query: string } }[];
  };
}
interface Kustomization {
  configMapGenerator: { literals: string[] }[];
}

const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8');
const manifestsIn = (text: string) => parseAllDocuments(text).map((each) => each.toJS() as Manifest);
const base = readdirSync(join(FOLDER, 'base')).filter((name) => name !== 'kustomization.yaml');
const manifests = [
  ...base.flatMap((name) => manifestsIn(read(`base/${name}`))),
  ...manifestsIn(read('components/queue-lag/scaled-object.yaml')),
];
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const deployments = ofKind('Deployment');
const workloads = [...deployments, ...ofKind('Job')];
const containerOf = (manifest: Manifest) => manifest.spec.template.spec.containers[0];
const named = (list: Manifest[]) => list.map((each): [string, Manifest] => [each.metadata.name, each]);

const literals = ['base', 'overlays/example'].flatMap((folder) =>
  (parse(read(`${folder}/kustomization.yaml`)) as Kustomization).configMapGenerator.flatMap(
    (map) => map.literals,
  ),
);
const shared = Object.fromEntries(
  literals.map((literal): [string, string] => [
    literal.split('=')[0]!,
    literal.slice(literal.indexOf('=') + 1),
  ]),
);

const SECRET_FILES = ['DATABASE_URL_FILE', 'REDIS_URL_FILE', 'APP_SECRET_FILE'];

describe('deploy/kustomize', () => {
  it('gives the role that owns the tables to the migration only', () => {
    const holders = manifests.filter((manifest) =>
      /greenroom-migration|MIGRATION_DATABASE/.test(JSON.stringify(manifest)),
    );
    expect(holders.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Job greenroom-migrate',
    ]);
  });

  it.each(named(workloads))(
    '%s is given only variables that exist, with values that are accepted',
    (_, manifest) => {
      const own = (containerOf(manifest).env ?? []).map(({ name, value }): [string, string] => [name, value]);
      const input: Record<string, string> = { ...shared, ...Object.fromEntries(own) };
      const files = Object.keys(input).filter((name) => name.endsWith('_FILE'));
      expect(Object.keys(input).filter((name) => !(name.replace(/_FILE$/, '') in VARIABLES))).toEqual([]);
      const [mount] = containerOf(manifest).volumeMounts;
      expect(files).toEqual(expect.arrayContaining(SECRET_FILES));
      expect(files.filter((name) => !input[name]!.startsWith(`${mount!.mountPath}/`))).toEqual([]);
      for (const name of files) delete input[name];
      expect(() => loadConfig(input)).not.toThrow();
    },
  );

  it.each(named(workloads))(
    '%s runs without rights, on a read-only file system, within bounds',
    (_, manifest) => {
      const { securityContext, containers } = manifest.spec.template.spec;
      expect(securityContext.runAsNonRoot).toBe(true);
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(containers[0].resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    },
  );

  it.each(named(deployments))('%s is probed where it responds', (_, manifest) => {
    const { ports = [], env = [], ...container } = containerOf(manifest);
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, Number(value)]));
    const listening = ['PORT', 'METRICS_PORT', 'WORKER_HEALTH_PORT']
      .map((name) => variables[name])
      .filter(Boolean);
    expect(ports.map(({ containerPort }) => containerPort)).toEqual(listening);
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map((probe) => {
      expect(ports.map(({ name }) => name)).toContain(probe!.httpGet.port);
      return probe!.httpGet.path;
    });
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
  });

  it('gives each process the time it needs to stop', () => {
    const [api, worker] = deployments.map((manifest) => manifest.spec.template.spec);
    const waitSecs = api!.containers[0].env!.find(({ name }) => name === 'DRAIN_SECS')!.value;
    const longestRequestSecs = 25;
    expect(api!.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(waitSecs) + longestRequestSecs);
    const longestStopSecs = 13;
    expect(worker!.terminationGracePeriodSeconds).toBeGreaterThan(longestStopSecs);
  });

  it('selects what is there', () => {
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name']);
    const name = 'app.kubernetes.io/name';
    const selected = [
      ...deployments.map(({ spec }) => spec.selector.matchLabels?.[name]),
      ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels?.[name]),
      ...ofKind('Service').map(({ spec }) => spec.selector[name]),
      ...ofKind('NetworkPolicy').flatMap(
        ({ spec: { podSelector } }) =>
          podSelector.matchExpressions?.flatMap(({ values }) => values) ?? [podSelector.matchLabels?.[name]],
      ),
      ...[...ofKind('HorizontalPodAutoscaler'), ...ofKind('ScaledObject')].map(
        ({ spec }) => spec.scaleTargetRef.name,
      ),
    ];
    expect(selected).toHaveLength(12);
    expect(selected.filter((each) => !labels.includes(each ?? ''))).toEqual([]);
  });

  it.each(named(deployments))('%s can be reached on each of its ports, and on no other', (name, manifest) => {
    const policy = ofKind('NetworkPolicy').find((each) => each.metadata.name === name)!;
    const open = policy.spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
    expect(open).toEqual(containerOf(manifest).ports!.map(({ containerPort }) => containerPort));
  });

  it('scales workers by a metric that the dashboard shows, too', () => {
    const [scaled] = ofKind('ScaledObject');
    const dashboard = readFileSync(join(FOLDER, '../grafana/greenroom.json'), 'utf8');
    for (const { name } of metricsIn(scaled!.spec.triggers[0]!.metadata.query))
      expect(dashboard).toContain(name);
  });

  const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
  (hasKubectl ? it : it.skip)('is rendered by kustomize with every reference resolved', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(FOLDER, 'overlays/example')]);
    expect([status, stderr.toString()]).toEqual([0, '']);
    const rendered = manifestsIn(stdout.toString());
    expect(rendered).toHaveLength(manifests.length + 1);
    const map = rendered.find(({ kind }) => kind === 'ConfigMap')!;
    expect(map.data).toEqual(shared);
    expect(stdout.toString()).not.toMatch(/image: greenroom\b/);
    expect(stdout.toString().match(new RegExp(`name: ${map.metadata.name}$`, 'gm'))).toHaveLength(4);
  });
});
