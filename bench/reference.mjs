// The reference's side of the bench, through its public exports. One task per process:
//   node reference.mjs <package folder> <task> <arguments…>
// Timings in milliseconds as JSON on standard output; the tasks are those of tasks.py.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [home, task, ...rest] = process.argv.slice(2);
const { SessionManager } = await import(pathToFileURL(join(home, "dist/index.js")).href);

function watch() {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const passed = now - last;
    last = now;
    return passed;
  };
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tasks = {
  open(file) {
    const lap = watch();
    const manager = SessionManager.open(file);
    const open = lap();
    manager.buildSessionContext();
    const project = lap();
    return { open, project, both: open + project };
  },
  chain(file) {
    return inFolder((folder) => {
      const lap = watch();
      const manager = SessionManager.open(file, folder);
      const times = { open: lap() };
      manager.buildSessionContext();
      times.project = lap();
      manager.getTree();
      times.tree = lap();
      manager.createBranchedSession(manager.getLeafId());
      times.fork = lap();
      return times;
    });
  },
  append(count) {
    return inFolder((folder) => {
      const content = "word ".repeat(400);
      const manager = SessionManager.create("/w", folder);
      for (let n = 0; n < 20; n++) manager.appendMessage({ role: "user", content, timestamp: n });
      const lap = watch();
      for (let n = 0; n < Number(count); n++) {
        manager.appendMessage({ role: "user", content, timestamp: n });
      }
      return { append: lap() / Number(count) };
    });
  },
  async list(folder) {
    const lap = watch();
    await SessionManager.listAll(folder);
    const cold = lap();
    await SessionManager.listAll(folder);
    return { cold, again: lap() };
  },
};

const result = await tasks[task](...rest);
result.memory = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify(result));
