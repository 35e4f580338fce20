module mock-apns.example/go

go 1.18
