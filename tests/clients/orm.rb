# orm.rb KV -- ActiveRecord on collections, unmodified.
require "active_record"
require "active_record/connection_adapters/sqlite3_adapter"

module LoadKv
  def configure_connection
    super
    raw = @raw_connection || @connection
    raw.enable_load_extension(true)
    raw.load_extension(ARGV[0])
  end
end
ActiveRecord::ConnectionAdapters::SQLite3Adapter.prepend(LoadKv)
ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: "orm_rb.db")
c = ActiveRecord::Base.connection
c.execute(%q{CREATE VIRTUAL TABLE users USING kv_collection('["users"]', id INTEGER KEY, name TEXT NOT NULL,
  email TEXT UNIQUE, age INTEGER INDEX, joined DATETIME, admin BOOLEAN)})
c.execute(%q{CREATE VIRTUAL TABLE posts USING kv_collection('["posts"]', id INTEGER KEY, user_id INTEGER INDEX,
  title TEXT)})

class User < ActiveRecord::Base; has_many :posts; end
class Post < ActiveRecord::Base; belongs_to :user; end

puts "columns #{c.primary_key("users")} #{User.columns.map { |x| "#{x.name}:#{x.type}" }.join(" ")}"
ada = User.create!(name: "Ada", email: "ada@x", age: 36, joined: Time.utc(2024, 5, 1, 10), admin: true)
ada.posts.create!(title: "hello")
ada.update!(age: 37, admin: false)
found = User.where(email: "ada@x").first
puts "read #{found.id} #{found.name} #{found.joined} #{found.admin} #{found.age}"
puts "joined #{User.joins(:posts).where(posts: { title: "hello" }).pluck(:name)}"
[{ name: "X", email: "ada@x" }, { email: "y@x" }].each do |wrong|
  User.create!(**wrong)
rescue => e
  puts "#{e.class} #{e.message}"
end
puts "stored #{c.select_rows("SELECT kv_key, kv_js FROM users")}"
new = User.find_or_create_by(email: "new@x") { |x| x.name, x.age = "New", 5 }
same = User.find_or_create_by(email: "new@x") { |x| x.name = "Other" }
User.create!([{ name: "B1", joined: Time.utc(2024, 1, 2, 3, 4, 5) }, { name: "B2" }])
puts "found #{new.id == same.id} #{same.name} #{User.where(email: %w[ada@x new@x]).count}"
puts "updated #{User.where(age: 1..10).update_all("age = age + 1")} #{User.where(age: 6..).order(age: :desc).pluck(:name, :age)}"
puts "grouped #{User.left_joins(:posts).group("users.name").order("users.name").count("posts.id")}"
day = Time.utc(2024, 5, 1, 10)
puts "days #{User.find_by(joined: day).name} #{User.find_by(joined: day.getlocal("+05:30")).name} #{User.where(joined: day..).count} #{User.where(joined: [day, Time.utc(1990)]).count} #{User.where.not(joined: day).count} #{User.where(joined: Date.new(2024, 5, 1)..Date.new(2024, 5, 2)).count} #{User.where(joined: day, admin: false).count}"
puts "dates #{User.where("joined > ?", Time.utc(2024, 1, 1)).order(:joined).pluck(:name)} #{User.maximum(:joined)}"
User.transaction { User.create!(name: "gone"); raise ActiveRecord::Rollback }
puts "batches #{User.find_each(batch_size: 2).map(&:name)}"
puts "deleted #{User.where(name: %w[B1 B2]).delete_all} #{User.where(admin: nil).destroy_all.size}"
[-> { User.insert_all([{ name: "A" }]) }, -> { User.upsert_all([{ id: 1, name: "A" }]) }].each do |refused|
  refused.call
rescue => e
  puts e.message
end
ada.destroy
puts "left #{User.count}"
