-- Most looks at a project find nothing changed. While Git lists what it listed when every row was up to date, the rows
-- themselves say which files there are, and the long list need not be taken apart. JSON: see `records.project.Listed`.
ALTER TABLE state ADD COLUMN listed TEXT;
