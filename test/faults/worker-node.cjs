// The built worker, in a process of its own. With an argument, its sweeper waits only that many seconds.
const { runWorker } = require('../../dist/apps/worker/src/main.js');
const { SweepLimits } = require('../../dist/apps/worker/src/review/review-sweeper.js');

void runWorker().then((worker) => {
  if (process.argv[2]) worker.get(SweepLimits).idleSecs = Number(process.argv[2]);
});
