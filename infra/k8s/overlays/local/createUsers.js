// Initiates the replica set once, and creates for each service a user that may read and write only its own
// database.
const admin = db.getSiblingDB('admin');
try {
  rs.status();
} catch {
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongodb-0.mongodb:27017' }] });
}
while (!db.hello().isWritablePrimary) sleep(200);
// begin databases (npm run manifest)
const databases = {
  directory: 'gatehouse_directory',
  access: 'gatehouse_access',
  semantics: 'gatehouse_semantics',
  policy: 'gatehouse_policy',
  lifecycle: 'gatehouse_lifecycle',
  audit: 'gatehouse_audit',
};
// end databases
for (const [name, databaseName] of Object.entries(databases)) {
  const database = admin.getSiblingDB(databaseName);
  const user = { pwd: process.env[name], roles: ['readWrite'] };
  if (database.getUser(name)) database.updateUser(name, user);
  else database.createUser({ user: name, ...user });
}
