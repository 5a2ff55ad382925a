/** Reports that Node is too old. Import this first, so that no later import runs on such a Node. */
const [neededMajor, neededMinor] = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(
    `Gatehouse needs Node ${neededMajor}.${neededMinor} or later; this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}
